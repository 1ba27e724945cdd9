import { useSyncExternalStore } from 'react';

/** As the style sheets have it. */
const query = matchMedia('(width < 720px)');

const listen = (onChange: () => void): (() => void) => {
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
};

/** Whether the page has its bars at the top and at the bottom. */
export const useIsNarrow = (): boolean => useSyncExternalStore(listen, () => query.matches);
