import { useCallback, useState, type ComponentType } from 'react';

/**
 * A component whose code is fetched shortly before it is needed, and the function that fetches it. The component is
 * undefined until its code has arrived. It then appears at once; React would delay a lazy component.
 */
export function useLater<Props>(fetch: () => Promise<{ default: ComponentType<Props> }>) {
  const [Component, setComponent] = useState<ComponentType<Props>>();
  const load = useCallback(() => {
    void fetch().then(({ default: fetched }) => setComponent(() => fetched));
  }, [fetch]);
  return [Component, load] as const;
}
