import { useEffect, useState } from 'react';
import { Check, OctagonX, X } from 'lucide-react';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import css from './toast.module.css';

/** How long it is shown. */
const SHOWN_MS = 6_000;

interface ToastProps {
  readonly text: string;
  /** It is shown until it is closed. */
  readonly isFailure: boolean;
  readonly onClose: () => void;
}

/** A message about the new state, over the page. It stays while it is pointed at or has the focus. */
export function Toast({ text, isFailure, onClose }: ToastProps) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld || isFailure) return;
    const timer = setTimeout(onClose, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isHeld, isFailure, onClose]);
  return (
    <div
      className={css.toast}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon of={isFailure ? OctagonX : Check} />
      <span>{text}</span>
      <IconButton icon={X} aria-label="Hide this message" onPress={onClose} />
    </div>
  );
}
