import { answer, api } from '../api/client.ts';
import type { ProjectIds } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { TextField } from '../components/fields.tsx';
import { Form, Submit } from '../components/form.tsx';
import { LifetimeChoice } from '../components/lifetime-choice.tsx';
import { useKept } from '../components/use-kept.ts';
import { nameProblem } from '../text/names.ts';
import { LIFETIMES, type Lifetime } from './key-view.ts';
import type { NewKey } from './key-once-dialog.tsx';
import { UnitsLimitField, readUnitsLimit, unitsLimitProblem, useCapOfNothing } from './units-limit-field.tsx';

interface CreateKeyFormProps extends ProjectIds {
  readonly offered?: string;
  readonly onCreated: (key: NewKey) => void;
  readonly onCancel?: () => void;
}

/** Creates a key and passes it to `onCreated`, which alone holds it then. */
export function CreateKeyForm({ offered = '', onCreated, onCancel, ...ids }: CreateKeyFormProps) {
  const form = onCancel ? 'new key' : 'first key';
  const [name, setName] = useKept(form, 'name', offered);
  const [lifetime, setLifetime] = useKept<Lifetime>(form, 'lifetime', '90');
  const [cap, setCap] = useKept(form, 'cap', '');
  const action = useAction((body: { name?: string; expiresInDays?: number; unitsLimit?: number }, header) => {
    const params = { path: ids, header };
    return answer(api.POST('/api/accounts/{accountId}/projects/{projectId}/keys', { body, params }));
  }, onCreated);
  const zero = useCapOfNothing(cap);
  const submit = (): void => {
    if (zero.asks()) return;
    const unitsLimit = readUnitsLimit(cap) ?? null;
    action.run({
      ...(name.trim() !== '' && { name: name.trim() }),
      ...(lifetime !== 'never' && { expiresInDays: Number(lifetime) }),
      ...(unitsLimit !== null && { unitsLimit }),
    });
  };
  const problems = { name: name.trim() === '' ? null : nameProblem(name), unitsLimit: unitsLimitProblem(cap) };
  return (
    <Form action={action} problems={problems} onSubmit={submit}>
      <TextField
        label="Name of the key"
        name="name"
        value={name}
        onChange={setName}
        hint="Name the place that uses it, not the person."
        autoFocus
      />
      <LifetimeChoice
        label="Expires"
        name="expiresInDays"
        value={lifetime}
        onChange={setLifetime}
        options={LIFETIMES}
      />
      <UnitsLimitField {...ids} isAsking={zero.isAsking} value={cap} onChange={setCap} />
      <Submit kind="primary" isPending={action.isPending} {...(onCancel && { onCancel })}>
        Create key
      </Submit>
    </Form>
  );
}
