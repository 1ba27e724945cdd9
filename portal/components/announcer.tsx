import { createContext, use, useCallback, useMemo, useState, type ReactNode } from 'react';
import css from './announcer.module.css';
import { Toast } from './toast.tsx';

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
