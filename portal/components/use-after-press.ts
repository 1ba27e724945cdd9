import { useDeferredValue } from 'react';
import { useFocusVisible } from 'react-aria/useFocusVisible';

/**
 * Whether what a press opens is drawn by now. A pointer's press is answered first: what it opens comes with the next
 * picture, so that a slow device shows at once that it was pressed. Keys open at once, since what is typed next belongs
 * to what they opened.
 */
export function useAfterPress(): boolean {
  const { isFocusVisible: isByKeys } = useFocusVisible();
  return useDeferredValue(true, isByKeys);
}
