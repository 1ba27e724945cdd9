import type { ReactNode } from 'react';
import type { Action } from '../api/use-action.ts';
import { Button } from './button.tsx';
import { Dialog, DialogBody, DialogFoot } from './dialog.tsx';
import { Failure } from './form.tsx';

interface ConfirmDialogProps {
  readonly title: ReactNode;
  readonly about?: ReactNode;
  readonly action: Pick<Action<never>, 'isPending' | 'error'>;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  /** On the button. */
  readonly word: string;
  /** What it ends does not come back. */
  readonly isDanger?: boolean;
  /** Said in another way by what is in the dialog. */
  readonly isFailureHidden?: boolean;
  /** What happens then. */
  readonly children: ReactNode;
}

/** Asks before something is done. The focus is on Cancel; what destroys is never filled. */
export const ConfirmDialog = ({
  title,
  about,
  action: { isPending, error },
  onConfirm,
  onClose,
  word,
  isDanger = false,
  isFailureHidden = false,
  children,
}: ConfirmDialogProps) => (
  <Dialog title={title} about={about} onClose={onClose} role="alertdialog">
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
