import { useAction } from '../api/use-action.ts';
import { isolated, nameProblem } from '../text/names.ts';
import { useToast } from './announcer.tsx';
import { TextField } from './fields.tsx';
import { Form, Submit } from './form.tsx';
import { useKept } from './use-kept.ts';

interface RenameFormProps {
  /** Its name in its page. */
  readonly form?: string;
  readonly name: string;
  readonly send: (body: { name: string }) => Promise<unknown>;
  /** Reads the data again that shows the name. */
  readonly onDone: () => Promise<void>;
  /** In a dialog: closes it. */
  readonly onClose?: () => void;
}

/** Renames an object. In a page, Cancel appears once the name is another. */
export function RenameForm({ form = 'rename', name, send, onDone, onClose }: RenameFormProps) {
  // Undefined: the present name, which others may change meanwhile.
  const [typed, setTyped] = useKept<string | undefined>(form, 'name', undefined);
  const shown = typed ?? name;
  const tell = useToast();
  const action = useAction(send, async (_answer, body) => {
    await onDone();
    setTyped((latest) => (latest?.trim() === body.name ? undefined : latest));
    tell(`The name is ${isolated(body.name)} now.`);
    onClose?.();
  });
  const isChanged = shown.trim() !== name;
  const cancel = onClose ?? (isChanged ? () => setTyped(undefined) : undefined);
  return (
    <Form
      action={action}
      problems={{ name: nameProblem(shown) }}
      onSubmit={() => (isChanged || !onClose ? action.run({ name: shown.trim() }) : onClose())}
    >
      <TextField label="Name" name="name" value={shown} onChange={setTyped} autoFocus={onClose !== undefined} />
      <Submit
        kind="primary"
        isPending={action.isPending}
        {...(cancel && { onCancel: cancel })}
        isAtEnd={onClose !== undefined}
      >
        Save
      </Submit>
    </Form>
  );
}
