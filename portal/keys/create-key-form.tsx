import { useQuery } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { keysQuery, type ProjectIds } from '../api/queries.ts';
import type { Key } from '../api/schemas.ts';
import { useAction } from '../api/use-action.ts';
import { TextField } from '../components/fields.tsx';
import { Form, Submit } from '../components/form.tsx';
import { LifetimeChoice } from '../components/lifetime-choice.tsx';
import { Select } from '../components/select.tsx';
import { useKept } from '../components/use-kept.ts';
import { useNow } from '../components/use-now.ts';
import { nameProblem } from '../text/names.ts';
import { budgetOf, budgetsIn, type CapPeriod } from './cap.ts';
import { LIFETIMES, type Lifetime } from './key-view.ts';
import type { NewKey } from './key-once-dialog.tsx';
import { UnitsLimitField, useCap } from './units-limit-field.tsx';

interface CreateKeyFormProps extends ProjectIds {
  readonly offered?: string;
  /** The new key spends from the budget of this one, unless another is chosen. */
  readonly under?: Key;
  readonly onCreated: (key: NewKey) => void;
  readonly onCancel?: () => void;
}

interface Asked {
  readonly name?: string;
  readonly expiresInDays?: number;
  readonly unitsLimit?: number;
  readonly unitsPeriod?: CapPeriod;
  readonly capOf?: string;
}

/** Creates a key and passes it to `onCreated`, which alone holds it then. */
export function CreateKeyForm({ offered = '', under, onCreated, onCancel, ...ids }: CreateKeyFormProps) {
  const form = under ? `share ${under.keyId}` : onCancel ? 'new key' : 'first key';
  const [name, setName] = useKept(form, 'name', offered);
  const [lifetime, setLifetime] = useKept<Lifetime>(form, 'lifetime', '90');
  const [budget, setBudget] = useKept(form, 'budget', under ? budgetOf(under) : '');
  const { data: keys = [] } = useQuery(keysQuery(ids.accountId, ids.projectId));
  const budgets = budgetsIn(keys, useNow());
  const cap = useCap(ids, form);
  const action = useAction((body: Asked, header) => {
    const params = { path: ids, header };
    return answer(api.POST('/api/accounts/{accountId}/projects/{projectId}/keys', { body, params }));
  }, onCreated);
  const chosen = budgets.find(([id]) => id === budget);
  const submit = (): void => {
    if (budget === '' && cap.asks()) return;
    const { unitsLimit, ...period } = cap.asked;
    action.run({
      ...(name.trim() !== '' && { name: name.trim() }),
      ...(lifetime !== 'never' && { expiresInDays: Number(lifetime) }),
      // A budget that is gone is refused: nobody asked for a key without one.
      ...(budget !== '' && { capOf: chosen?.[1].keyId ?? budget }),
      ...(budget === '' && unitsLimit !== null && { unitsLimit, ...period }),
    });
  };
  const problems = {
    name: name.trim() === '' ? null : nameProblem(name),
    ...(budget === '' && { unitsLimit: cap.problem }),
  };
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
      {(budgets.length > 0 || budget !== '') && (
        <Select
          label="Budget"
          value={budget}
          onChange={setBudget}
          options={[
            ['', 'Its own'],
            ...budgets.map(([id, , words]) => [id, words] as const),
            ...(budget === '' || chosen ? [] : [[budget, 'One that has ended'] as const]),
          ]}
        />
      )}
      {budget === '' ? (
        <UnitsLimitField of={cap} />
      ) : (
        <p>The keys of a budget spend its units together. Who raises, lowers or stops it does that for all of them.</p>
      )}
      <Submit kind="primary" isPending={action.isPending} {...(onCancel && { onCancel })}>
        Create key
      </Submit>
    </Form>
  );
}
