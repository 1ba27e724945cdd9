import type { Action } from '../api/use-action.ts';
import { Dialog, DialogBody, type DialogProps } from './dialog.tsx';
import { Form, Submit, type FormProps } from './form.tsx';

interface FormDialogProps extends Pick<DialogProps, 'title' | 'about' | 'onClose'>, FormProps {
  readonly action: Action<never>;
  /** The text of the button. */
  readonly word: string;
}

/** A form in a dialog. */
export const FormDialog = ({ action, problems, onSubmit, word, children, ...dialog }: FormDialogProps) => (
  <Dialog {...dialog}>
    <DialogBody>
      <Form action={action} problems={problems} onSubmit={onSubmit}>
        {children}
        <Submit kind="primary" isPending={action.isPending} onCancel={dialog.onClose}>
          {word}
        </Submit>
      </Form>
    </DialogBody>
  </Dialog>
);
