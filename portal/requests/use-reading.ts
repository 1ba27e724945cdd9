import { useEffect, useRef, useState } from 'react';

/**
 * Whether somebody reads in an element: its top has been scrolled away, the mouse is over it or the focus is in it. What
 * is put at its top would then move what is being read.
 */
export function useReading<Of extends HTMLElement>() {
  const ref = useRef<Of>(null);
  const [isPast, setPast] = useState(false);
  const [isOver, setOver] = useState(false);
  const [isFocused, setFocused] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const observer = new IntersectionObserver(([top]) => {
      if (top) setPast(!top.isIntersecting && top.boundingClientRect.top < 0);
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
