import { useCallback, useState, type ComponentType } from 'react';

/**
 * A component whose code is fetched shortly before it is needed, and the function that fetches it. Undefined until it
 * is there. Unlike a lazy component it appears as soon as it is there: React delays what it had to wait for.
 */
export function useLater<Props>(fetch: () => Promise<{ default: ComponentType<Props> }>) {
  const [Component, setComponent] = useState<ComponentType<Props>>();
  const load = useCallback(() => {
    void fetch().then(({ default: fetched }) => setComponent(() => fetched));
  }, [fetch]);
  return [Component, load] as const;
}
