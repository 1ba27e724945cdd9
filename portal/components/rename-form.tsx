import { useState } from 'react';
import { useAction } from '../api/use-action.ts';
import { nameProblem } from '../text/names.ts';
import { useAnnounce } from './announcer.tsx';
import { Button } from './button.tsx';
import { Muted, Row } from './card.tsx';
import { TextField } from './fields.tsx';
import { Form } from './form.tsx';

interface RenameFormProps {
  readonly name: string;
  readonly send: (body: { name: string }) => Promise<unknown>;
  /** Reads again what shows the name. */
  readonly onDone: () => Promise<void>;
}

/** Gives something another name. */
export function RenameForm({ name, send, onDone }: RenameFormProps) {
  const [typed, setTyped] = useState(name);
  const [saved, setSaved] = useState<string>();
  const announce = useAnnounce();
  const action = useAction(send, async (_answer, body) => {
    await onDone();
    setSaved(body.name);
    announce(`Renamed to ${body.name}.`);
  });
  return (
    <Form action={action} problems={{ name: nameProblem(typed) }} onSubmit={() => action.run({ name: typed.trim() })}>
      <TextField label="Name" name="name" value={typed} onChange={setTyped} />
      <Row>
        <Button type="submit" isPending={action.isPending}>
          Rename
        </Button>
        {saved !== undefined && saved === typed.trim() && <Muted>Renamed</Muted>}
      </Row>
    </Form>
  );
}
