import { useEffect } from 'react';
import { useLocationProperty } from 'wouter/use-browser-location';

/**
 * The anchor in the address, without its `#`. What has it as its id is brought into view and focused, also when its page
 * is loaded after the browser looked for it.
 */
export function useAnchor(): string {
  const anchor = useLocationProperty(() => location.hash.slice(1));
  useEffect(() => {
    const target = anchor === '' ? null : document.getElementById(anchor);
    target?.scrollIntoView();
    target?.focus({ preventScroll: true });
  }, [anchor]);
  return anchor;
}
