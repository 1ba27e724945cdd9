import { useState, type ReactNode } from 'react';
import type { Action } from '../api/use-action.ts';
import { Dialog, DialogBody } from './dialog.tsx';
import { TextField } from './fields.tsx';
import { Form, Submit } from './form.tsx';

interface TypedDialogProps {
  readonly title: ReactNode;
  /** The text that must be typed. */
  readonly expected: string;
  /** The error for any other text. */
  readonly mistake: string;
  /** The text of the button. */
  readonly word: string;
  readonly action: Action<undefined>;
  readonly onCancel: () => void;
  /** The consequences. */
  readonly children: ReactNode;
}

/** A browser shows spaces in a row as one, and copies one: more cannot be asked for. */
const asShown = (text: string): string => text.trim().replaceAll(/\s+/g, ' ');

/** Asks for a text before an object ends for good. */
export function TypedDialog({ title, expected, mistake, word, action, onCancel, children }: TypedDialogProps) {
  const [typed, setTyped] = useState('');
  const confirmation = asShown(typed) === asShown(expected) ? null : mistake;
  return (
    <Dialog title={title} onClose={onCancel} role="alertdialog">
      <DialogBody>
        {children}
        <Form action={action} problems={{ confirmation }} onSubmit={() => action.run(undefined)}>
          <TextField
            label={
              <>
                Type <bdi>{expected}</bdi> to confirm
              </>
            }
            name="confirmation"
            value={typed}
            onChange={setTyped}
          />
          <Submit kind="danger" isPending={action.isPending} onCancel={onCancel} isCancelFirst>
            {word}
          </Submit>
        </Form>
      </DialogBody>
    </Dialog>
  );
}
