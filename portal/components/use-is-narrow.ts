import { useSyncExternalStore } from 'react';

/** The same width as in the style sheets. */
const query = matchMedia('(width < 720px)');

const listen = (onChange: () => void): (() => void) => {
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
};

/** Whether the page has bars at the top and at the bottom. */
export const useIsNarrow = (): boolean => useSyncExternalStore(listen, () => query.matches);
