import { useDeferredValue } from 'react';
import { useFocusVisible } from 'react-aria/useFocusVisible';

/**
 * Whether the element that a press opens may be drawn now. After a press by pointer the button is drawn as pressed
 * first, and the opened element with the next frame. So a slow device shows the press at once. After a key the element
 * is drawn at once, since the next key belongs to it.
 */
export function useAfterPress(): boolean {
  const { isFocusVisible: isByKeys } = useFocusVisible();
  return useDeferredValue(true, isByKeys);
}
