import { useEffect } from 'react';
import { useLocationProperty } from 'wouter/use-browser-location';

/** The anchor in the address, without its `#`. */
export const useHash = (): string =>
  useLocationProperty(
    () => location.hash.slice(1),
    () => '',
  );

/**
 * The anchor in the address, without its `#`. What has it as its id is brought into view and focused, also when its page
 * is loaded after the browser looked for it.
 */
export function useAnchor(): string {
  const anchor = useHash();
  useEffect(() => {
    const target = anchor === '' ? null : document.getElementById(anchor);
    target?.focus({ preventScroll: true });
    // After the browser has gone back to where the page was scrolled to when it was left.
    const frame = requestAnimationFrame(() => target?.scrollIntoView());
    return () => cancelAnimationFrame(frame);
  }, [anchor]);
  return anchor;
}
