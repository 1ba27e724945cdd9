import { useRef, useState, type ReactNode } from 'react';
import type { Action } from '../api/use-action.ts';
import { Button } from './button.tsx';
import { Problems } from './form-problems.ts';
import css from './form.module.css';
import { Note } from './note.tsx';

interface FormProps {
  readonly action: Pick<Action<never>, 'error'>;
  /** Each field by its name, with what is wrong with it now; null: nothing. */
  readonly problems: Readonly<Record<string, string | null>>;
  /** Called when nothing is wrong. */
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

/**
 * A form: keeps what was typed, and tells a failure beside the field that it is about, or above the buttons. What is
 * wrong with a field is told from the first attempt on, and goes as it is corrected: were it to go when the field loses the
 * focus, the press that took the focus would miss its button.
 */
export function Form({ action: { error }, problems, onSubmit, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [isAttempted, setAttempted] = useState(false);
  const [mended, setMended] = useState<unknown>();
  const field = error?.field;
  const isOfField = field !== undefined && field in problems;
  const messageOf = (name: string): string | undefined =>
    (isAttempted ? problems[name] : undefined) ?? (field === name && error !== mended ? error?.message : undefined);
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
        else form.current?.querySelector<HTMLInputElement>(`[name="${wrong}"]`)?.focus();
      }}
    >
      {!isOfField && <Failure error={error} hasTyped />}
      <Problems value={{ messageOf, onMended: () => setMended(error) }}>{children}</Problems>
    </form>
  );
}

interface FailureProps extends Pick<Action<never>, 'error'> {
  /** Something was typed for it, and is still there. */
  readonly hasTyped?: boolean;
}

/** Why something did not succeed; nothing while there is no such thing. */
export const Failure = ({ error, hasTyped = false }: FailureProps) =>
  error && (
    <Note kind="bad" isAlert>
      {error.message} {hasTyped && error.isPassing && 'What you typed is still here.'}
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
  /** Gives up. */
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
      <Button onPress={onCancel} autoFocus={isCancelFirst}>
        Cancel
      </Button>
    )}
    <Button kind={kind} type="submit" isPending={isPending}>
      {children}
    </Button>
  </div>
);
