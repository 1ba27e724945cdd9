import type { ReactNode } from 'react';
import { X } from 'lucide-react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { IconButton } from './button.tsx';
import css from './dialog.module.css';

interface DialogProps {
  readonly title: ReactNode;
  /** Below the title. */
  readonly about?: ReactNode;
  /** Asked to close: by Esc, and by a press beside it unless it is `isGuarded`. */
  readonly onClose: () => void;
  /** A press beside it does nothing. */
  readonly isGuarded?: boolean;
  readonly role?: 'dialog' | 'alertdialog';
  readonly children: ReactNode;
}

/** A dialog over the page, open as long as it is there. Esc asks `onClose`, which decides. */
export const Dialog = ({ title, about, onClose, isGuarded = false, role = 'dialog', children }: DialogProps) => (
  <ModalOverlay
    isOpen
    isDismissable={!isGuarded}
    onOpenChange={(isOpen) => {
      if (!isOpen) onClose();
    }}
    className={css.overlay ?? ''}
  >
    <Modal className={css.modal ?? ''}>
      <AriaDialog role={role} className={css.dialog ?? ''}>
        <header className={css.head}>
          <Heading slot="title" level={2} className={css.title ?? ''}>
            {title}
          </Heading>
          {about && <p className={css.about}>{about}</p>}
        </header>
        {children}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
);

interface PlainDialogProps extends Pick<DialogProps, 'onClose' | 'children'> {
  readonly label: string;
}

/** A dialog that is what is in it, near the top of the page: it stays where it is while that changes. */
export const PlainDialog = ({ label, onClose, children }: PlainDialogProps) => (
  <ModalOverlay isOpen isDismissable onOpenChange={(isOpen) => !isOpen && onClose()} className={css.overlay ?? ''}>
    <Modal className={[css.modal, css.plain].join(' ')}>
      <AriaDialog aria-label={label} className={css.dialog ?? ''}>
        {children}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
);

/** What the dialog is about. */
export const DialogBody = ({ children }: { readonly children: ReactNode }) => (
  <div className={css.body}>{children}</div>
);

/** Its buttons, after a word at the left. */
export const DialogFoot = ({ hint, children }: { readonly hint?: ReactNode; readonly children: ReactNode }) => (
  <footer className={css.foot}>
    <span className={css.hint}>{hint}</span>
    {children}
  </footer>
);

interface DrawerProps extends Pick<DialogProps, 'onClose' | 'children'> {
  readonly title: string;
  /** Beside the title. */
  readonly actions?: ReactNode;
}

/** Something whole, at the side of the list that it belongs to; from below where it is narrow. */
export const Drawer = ({ title, actions, onClose, children }: DrawerProps) => (
  <ModalOverlay isOpen isDismissable onOpenChange={(isOpen) => !isOpen && onClose()} className={css.side ?? ''}>
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
  </ModalOverlay>
);
