import type { ReactNode } from 'react';
import { Form as AriaForm } from 'react-aria-components/Form';
import type { Action } from '../api/use-action.ts';
import css from './form.module.css';
import { Button } from './button.tsx';
import { Note } from './note.tsx';

interface FormProps {
  readonly action: Pick<Action<never>, 'error'>;
  /** The names of the fields, so that what is wrong with one is said there. */
  readonly fields: readonly string[];
  /** Called with valid fields only. */
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

/** A form: keeps what was typed, and tells a failure beside the field that it is about, or above the buttons. */
export function Form({ action: { error }, fields, onSubmit, children }: FormProps) {
  const field = error?.field;
  const isOfField = field !== undefined && fields.includes(field);
  return (
    <AriaForm
      className={css.form ?? ''}
      {...(isOfField && { validationErrors: { [field]: error?.message ?? '' } })}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {!isOfField && <Failure error={error} />}
      {children}
    </AriaForm>
  );
}

/** Why something did not succeed; nothing while there is no such thing. */
export const Failure = ({ error }: Pick<Action<never>, 'error'>) =>
  error && (
    <Note kind="bad" isAlert>
      {error.message}
      {error.requestId !== undefined && error.code === 'INTERNAL_ERROR' && (
        <>
          {' '}
          Request <code>{error.requestId}</code>
        </>
      )}
    </Note>
  );

interface SubmitProps {
  readonly kind?: 'primary' | 'danger';
  readonly isPending: boolean;
  /** In a dialog: gives up. */
  readonly onCancel?: () => void;
  /** The focus is on Cancel. */
  readonly isCancelFirst?: boolean;
  readonly children: string;
}

/** The buttons of a form. */
export const Submit = ({ kind, isPending, onCancel, isCancelFirst = false, children }: SubmitProps) => (
  <div className={onCancel ? css.atEnd : css.buttons}>
    {onCancel && (
      <Button onPress={onCancel} autoFocus={isCancelFirst}>
        Cancel
      </Button>
    )}
    <Button kind={kind} type="submit" isPending={isPending}>
      {children}
    </Button>
  </div>
);
