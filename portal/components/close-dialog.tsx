import { useState, type ReactNode } from 'react';
import type { Action } from '../api/use-action.ts';
import { Dialog, DialogBody } from './dialog.tsx';
import { TextField } from './fields.tsx';
import { Form, Submit } from './form.tsx';

interface CloseDialogProps {
  /** What is closed: `project`. */
  readonly what: string;
  /** Its name, which must be typed. */
  readonly name: string;
  readonly action: Action<undefined>;
  readonly onCancel: () => void;
  /** What happens then. */
  readonly children: ReactNode;
}

/** Asks for the name of what is about to end for good. */
export function CloseDialog({ what, name, action, onCancel, children }: CloseDialogProps) {
  const [typed, setTyped] = useState('');
  const confirmation = typed.trim() === name.trim() ? null : `This is not the name of the ${what}.`;
  return (
    <Dialog title={<>Close {<bdi>{name}</bdi>}?</>} onClose={onCancel} role="alertdialog">
      <DialogBody>
        {children}
        <Form action={action} problems={{ confirmation }} onSubmit={() => action.run(undefined)}>
          <TextField
            label={
              <>
                Type <bdi>{name}</bdi> to confirm
              </>
            }
            name="confirmation"
            value={typed}
            onChange={setTyped}
          />
          <Submit kind="danger" isPending={action.isPending} onCancel={onCancel} isCancelFirst>
            {`Close ${what}`}
          </Submit>
        </Form>
      </DialogBody>
    </Dialog>
  );
}
