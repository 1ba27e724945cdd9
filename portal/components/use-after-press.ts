import { startTransition, useEffectEvent, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { afterPaint } from './after-paint.ts';

/**
 * Whether the element that a press opens may be drawn now. The button is drawn as pressed first, and the opened element
 * after that frame. So a slow device shows the press at once. Until then the element already counts as open: a key
 * draws it and goes to it, and a press elsewhere takes the first press back. A dialog that follows another one is drawn
 * after the focus went back, so that it returns the focus to the same place.
 */
export function useAfterPress(onTakenBack: () => void): boolean {
  const [isDrawn, setDrawn] = useState(false);
  const takeBack = useEffectEvent(onTakenBack);
  useLayoutEffect(() => {
    if (isDrawn) return;
    const cancel = afterPaint(() => startTransition(() => setDrawn(true)));
    const pressed = document.activeElement;
    const onKey = (event: KeyboardEvent): void => {
      flushSync(() => setDrawn(true));
      pass(event);
    };
    const onPointer = ({ target }: PointerEvent): void => {
      if (!pressed?.contains(target as Node)) takeBack();
    };
    addEventListener('keydown', onKey, { capture: true });
    addEventListener('pointerdown', onPointer, { capture: true });
    return () => {
      cancel();
      removeEventListener('keydown', onKey, { capture: true });
      removeEventListener('pointerdown', onPointer, { capture: true });
    };
  }, [isDrawn]);
  return isDrawn;
}

/** Gives a key to the element that has the focus by now. The browser itself types there what it stands for. */
function pass(event: KeyboardEvent): void {
  const { activeElement } = document;
  if (!activeElement || activeElement === event.target) return;
  event.stopImmediatePropagation();
  if (!activeElement.dispatchEvent(new KeyboardEvent(event.type, event))) event.preventDefault();
}
