import { useCallback, useState, type ComponentType } from 'react';

/**
 * A component whose code is fetched when it is about to be needed, and how to fetch it; undefined until it is there. Unlike
 * a lazy one it is shown as soon as that is: React holds what it had to wait for back for a while.
 */
export function useLater<Props>(fetch: () => Promise<{ default: ComponentType<Props> }>) {
  const [Component, setComponent] = useState<ComponentType<Props>>();
  const load = useCallback(() => {
    void fetch().then(({ default: fetched }) => setComponent(() => fetched));
  }, [fetch]);
  return [Component, load] as const;
}
