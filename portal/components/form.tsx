import { startTransition, useEffect, useRef, useState, type ReactNode } from 'react';
import type { Action } from '../api/use-action.ts';
import { Button } from './button.tsx';
import { Problems } from './form-problems.ts';
import css from './form.module.css';
import { Note } from './note.tsx';
import { WithSupport } from './support.tsx';

export interface FormProps {
  readonly action: Pick<Action<never>, 'error'>;
  /** The present error of each field, by name. Null: none. */
  readonly problems: Readonly<Record<string, string | null>>;
  /** Called when no field has an error. */
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

/**
 * A form. It keeps the input, and shows a failure beside its field or above the buttons. Errors of fields are shown
 * from the first attempt on, and disappear when the input is corrected. If they disappeared when the field loses the
 * focus, the press that took the focus would miss its button.
 */
export function Form({ action: { error }, problems, onSubmit, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [isAttempted, setAttempted] = useState(false);
  const [mended, setMended] = useState<unknown>();
  const [passed, setPassed] = useState<unknown>();
  const field = error?.field;
  const isOfField = field !== undefined && field in problems;
  const messageOf = (name: string): string | undefined =>
    (isAttempted ? problems[name] : undefined) ?? (field === name && error !== mended ? error?.message : undefined);
  // As for an error that the page finds: a screen reader says what a focused field is described by.
  useEffect(() => {
    if (isOfField) fieldIn(form.current, field)?.focus();
  }, [error, field, isOfField]);
  const wrong = Object.keys(problems).find((name) => problems[name] !== null);
  return (
    <form
      ref={form}
      className={css.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setAttempted(true);
        if (wrong === undefined) onSubmit();
        else {
          // What an earlier attempt met is no news beside it.
          setPassed(error);
          fieldIn(form.current, wrong)?.focus();
        }
      }}
    >
      {!isOfField && error !== passed && <Failure error={error} hasTyped />}
      <Problems value={{ messageOf, onMended: () => setMended(error) }}>{children}</Problems>
    </form>
  );
}

const fieldIn = (form: HTMLFormElement | null, name: string): HTMLInputElement | null =>
  form?.querySelector<HTMLInputElement>(`[name="${name}"]`) ?? null;

interface FailureProps extends Pick<Action<never>, 'error'> {
  /** The field still has its input. */
  readonly hasTyped?: boolean;
}

/** Why an action did not succeed. Nothing while it did not fail. */
export const Failure = ({ error, hasTyped = false }: FailureProps) =>
  error && (
    <Note kind="bad" isAlert>
      <WithSupport text={error.message} /> {hasTyped && error.isTransient && 'What you typed is still here.'}
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
  /** Cancels. The button shows the press before the dialog or form closes. */
  readonly onCancel?: () => void;
  /** As in a dialog. */
  readonly isAtEnd?: boolean;
  /** The focus is on Cancel. */
  readonly isCancelFirst?: boolean;
  readonly children: string;
}

/** The buttons of a form. */
export const Submit = ({
  kind,
  isPending,
  onCancel,
  isAtEnd = onCancel !== undefined,
  isCancelFirst = false,
  children,
}: SubmitProps) => (
  <div className={isAtEnd ? css.atEnd : css.buttons}>
    {onCancel && (
      <Button onPress={() => startTransition(onCancel)} autoFocus={isCancelFirst}>
        Cancel
      </Button>
    )}
    <Button kind={kind} type="submit" isPending={isPending}>
      {children}
    </Button>
  </div>
);
