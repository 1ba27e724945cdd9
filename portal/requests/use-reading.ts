import { useEffect, useRef, useState } from 'react';

/** Elements below the screen count as visible, so a jump from above an element to below its top is noticed, too. */
const BELOW = '0px 0px 10000000px 0px';

/**
 * Whether somebody reads in an element: its top is scrolled away, the mouse is over it, or the focus is in it. New
 * content at its top would then move what is being read.
 */
export function useReading<Of extends HTMLElement>() {
  const ref = useRef<Of>(null);
  const [isPast, setPast] = useState(false);
  const [isOver, setOver] = useState(false);
  const [isFocused, setFocused] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const observer = new IntersectionObserver((entries) => setPast(entries.at(-1)?.isIntersecting === false), {
      rootMargin: BELOW,
    });
    const mark = document.createElement('span');
    element.prepend(mark);
    observer.observe(mark);
    return () => {
      observer.disconnect();
      mark.remove();
    };
  }, []);
  const handlers = {
    onPointerEnter: ({ pointerType }: { pointerType: string }) => setOver(pointerType === 'mouse'),
    onPointerLeave: () => setOver(false),
    onFocus: () => setFocused(true),
    onBlur: () => setFocused(false),
  };
  return { ref, handlers, isReading: isPast || isOver || isFocused };
}
