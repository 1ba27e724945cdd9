import type { ReactNode } from 'react';
import type { Action } from '../api/use-action.ts';
import { Button } from './button.tsx';
import { Dialog, DialogBody, DialogFoot } from './dialog.tsx';
import { Failure } from './form.tsx';

interface ConfirmDialogProps {
  readonly title: ReactNode;
  readonly action: Pick<Action<never>, 'isPending' | 'error'>;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  /** The text of the button. */
  readonly word: string;
  /** The action cannot be undone. */
  readonly isDanger?: boolean;
  /** The dialog's content shows the error itself. */
  readonly isFailureHidden?: boolean;
  /** The consequences. */
  readonly children: ReactNode;
}

/** Asks before an action. The focus is on Cancel. A destructive button is never filled. */
export const ConfirmDialog = ({
  title,
  action: { isPending, error },
  onConfirm,
  onClose,
  word,
  isDanger = false,
  isFailureHidden = false,
  children,
}: ConfirmDialogProps) => (
  <Dialog title={title} onClose={onClose} role="alertdialog">
    <DialogBody>
      {children}
      {!isFailureHidden && <Failure error={error} />}
    </DialogBody>
    <DialogFoot>
      <Button onPress={onClose} autoFocus>
        Cancel
      </Button>
      <Button kind={isDanger ? 'danger' : 'primary'} isPending={isPending} onPress={onConfirm}>
        {word}
      </Button>
    </DialogFoot>
  </Dialog>
);
