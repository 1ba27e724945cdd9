import { useEffect, useRef, useState, type ReactNode } from 'react';
import { X } from 'lucide-react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay, type ModalOverlayProps } from 'react-aria-components/Modal';
import { afterPaint } from './after-paint.ts';
import { IconButton } from './button.tsx';
import { useAfterPress } from './use-after-press.ts';
import css from './dialog.module.css';

/** The longest time between the two presses of a double press, in milliseconds: the default of most systems. */
const DOUBLE_PRESS_MS = 500;

interface OverlayProps extends Pick<ModalOverlayProps, 'className' | 'children'> {
  readonly onClose: () => void;
  /** Only its own buttons and Esc close it. */
  readonly isGuarded?: boolean;
  /** The address says what it shows, so a press elsewhere changes that by itself. */
  readonly isOfAddress?: boolean;
}

/** The layer over the page. It is open while it is rendered. */
function Overlay({ onClose, isGuarded = false, isOfAddress = false, ...props }: OverlayProps) {
  const isDrawn = useAfterPress(() => !isOfAddress && onClose());
  const drawnMs = useRef(Infinity);
  useEffect(() => {
    if (isDrawn) drawnMs.current = performance.now();
  }, [isDrawn]);
  useEffect(() => {
    const before = document.activeElement;
    return () => void afterPaint(() => keepFocus(before));
  }, []);
  return (
    isDrawn && (
      <ModalOverlay
        {...props}
        isOpen
        isDismissable={!isGuarded}
        // The second press of a double press meets what the first one opened.
        shouldCloseOnInteractOutside={() => performance.now() - drawnMs.current > DOUBLE_PRESS_MS}
        // At once: closed later, the search does not get the focus back to where it was.
        onOpenChange={(isOpen) => !isOpen && onClose()}
      />
    )
  );
}

/**
 * Gives the focus back to what had it before the dialog, where React Aria tried that while the page was still inert.
 * Where it is gone, such as a row of a list, the title of the page has the focus.
 */
function keepFocus(before: Element | null): void {
  for (const element of [before, document.querySelector('main h1')]) {
    if (document.activeElement !== document.body) return;
    if (element instanceof HTMLElement) element.focus({ preventScroll: true });
  }
}

export interface DialogProps {
  readonly title: ReactNode;
  /** Below the title. */
  readonly about?: ReactNode;
  /** Called to close: by Esc, and by a press beside the dialog unless it is `isGuarded` or has input. */
  readonly onClose: () => void;
  /** A press beside it does nothing. */
  readonly isGuarded?: boolean;
  /** It has code, whose lines are long. */
  readonly isWide?: boolean;
  readonly role?: 'dialog' | 'alertdialog';
  readonly children: ReactNode;
}

/** A dialog over the page. It is open while it is rendered. Esc calls `onClose`, which decides. */
export function Dialog({
  title,
  about,
  onClose,
  isGuarded = false,
  isWide = false,
  role = 'dialog',
  children,
}: DialogProps) {
  const [hasInput, setHasInput] = useState(false);
  return (
    <Overlay isGuarded={isGuarded || hasInput} onClose={onClose} className={css.overlay ?? ''}>
      <Modal className={[css.modal, isWide && css.wide].filter(Boolean).join(' ')}>
        <AriaDialog role={role} className={css.dialog ?? ''}>
          <header className={css.head}>
            <Heading slot="title" level={2} className={css.title ?? ''}>
              {title}
            </Heading>
            {about && <p className={css.about}>{about}</p>}
          </header>
          <div onInput={() => setHasInput(true)}>{children}</div>
        </AriaDialog>
      </Modal>
    </Overlay>
  );
}

interface PlainDialogProps extends Pick<DialogProps, 'onClose' | 'children'> {
  readonly label: string;
}

/** A dialog without its own frame, near the top of the page. It does not move while its content changes. */
export const PlainDialog = ({ label, onClose, children }: PlainDialogProps) => (
  <Overlay onClose={onClose} className={css.overlay ?? ''}>
    <Modal className={[css.modal, css.plain].join(' ')}>
      <AriaDialog aria-label={label} className={css.dialog ?? ''}>
        {children}
      </AriaDialog>
    </Modal>
  </Overlay>
);

/** The content of a dialog. */
export const DialogBody = ({ children }: { readonly children: ReactNode }) => (
  <div className={css.body}>{children}</div>
);

/** The buttons of a dialog, after a text at the left. */
export const DialogFoot = ({ hint, children }: { readonly hint?: ReactNode; readonly children: ReactNode }) => (
  <footer className={css.foot}>
    <span className={css.hint}>{hint}</span>
    {children}
  </footer>
);

interface DrawerProps extends Pick<DialogProps, 'onClose' | 'children'>, Pick<OverlayProps, 'isOfAddress'> {
  readonly title: string;
  /** Beside the title. */
  readonly actions?: ReactNode;
}

/** The details of an entry, at the side of its list. On narrow screens it comes from below. */
export const Drawer = ({ title, actions, onClose, isOfAddress = false, children }: DrawerProps) => (
  <Overlay isOfAddress={isOfAddress} onClose={onClose} className={css.side ?? ''}>
    <Modal className={css.drawer ?? ''}>
      <AriaDialog className={css.drawerDialog ?? ''}>
        <header className={css.drawerHead}>
          <Heading slot="title" level={2} className={css.drawerTitle ?? ''}>
            {title}
          </Heading>
          {actions}
          <IconButton icon={X} aria-label="Close" onPress={onClose} autoFocus />
        </header>
        <div className={css.drawerBody}>{children}</div>
      </AriaDialog>
    </Modal>
  </Overlay>
);
