import { createContext, use, useCallback, useMemo, useState, type ReactNode, useEffect } from 'react';
import css from './announcer.module.css';
import { Check, OctagonX, X } from 'lucide-react';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';

const Announce = createContext<(text: string) => void>(() => undefined);
const Tell = createContext<(text: string, isFailure?: boolean) => void>(() => undefined);

/** Announces a result to screen readers, where the page shows it only beside the pressed button. */
export const useAnnounce = (): ((text: string) => void) => use(Announce);

/** Shows a toast about the new state after a change, for some seconds. A failure stays until it is closed. */
export const useToast = (): ((text: string, isFailure?: boolean) => void) => use(Tell);

interface Said {
  readonly text: string;
  readonly count: number;
  readonly isShown: boolean;
  readonly isFailure: boolean;
}

/**
 * The live region of announcements. It exists before the first announcement, or a screen reader would miss that one.
 */
export function Announcer({ children }: { readonly children: ReactNode }) {
  const [said, setSaid] = useState<Said>({ text: '', count: 0, isShown: false, isFailure: false });
  const say = useCallback(
    (isShown: boolean) =>
      (text: string, isFailure = false) =>
        setSaid(({ count }) => ({ text, count: count + 1, isShown, isFailure })),
    [],
  );
  const announce = useMemo(() => say(false), [say]);
  const tell = useMemo(() => say(true), [say]);
  const close = useCallback(() => setSaid(({ count }) => ({ text: '', count, isShown: false, isFailure: false })), []);
  return (
    <Announce value={announce}>
      <Tell value={tell}>
        {children}
        {/* With this attribute React Aria keeps it accessible while a dialog is open. */}
        <div role="status" data-react-aria-top-layer className={said.isShown ? css.place : css.spoken}>
          {said.isShown ? (
            <Toast key={said.count} text={said.text} isFailure={said.isFailure} onClose={close} />
          ) : (
            <span key={said.count}>{said.text}</span>
          )}
        </div>
      </Tell>
    </Announce>
  );
}

/** How long it is shown. */
const SHOWN_MS = 6_000;

interface ToastProps {
  readonly text: string;
  /** It is shown until it is closed. */
  readonly isFailure: boolean;
  readonly onClose: () => void;
}

/** A message about the new state, over the page. It stays while it is pointed at or has the focus. */
function Toast({ text, isFailure, onClose }: ToastProps) {
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
