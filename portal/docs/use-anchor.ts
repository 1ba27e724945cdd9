import { useEffect } from 'react';
import { useLocationProperty } from 'wouter/use-browser-location';

/** The anchor in the address, without its `#`. */
export const useHash = (): string =>
  useLocationProperty(
    () => location.hash.slice(1),
    () => '',
  );

/**
 * The anchor in the address, without its `#`. The element with this id is scrolled into view and focused, also when its
 * page is loaded after the browser looked for it.
 */
export function useAnchor(): string {
  const anchor = useHash();
  useEffect(() => {
    const target = anchor === '' ? null : document.getElementById(anchor);
    target?.focus({ preventScroll: true });
    // After the browser has restored the scroll position of the page.
    const frame = requestAnimationFrame(() => target?.scrollIntoView());
    return () => cancelAnimationFrame(frame);
  }, [anchor]);
  return anchor;
}
