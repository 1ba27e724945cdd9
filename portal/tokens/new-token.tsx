import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { projectsQuery } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { Dialog, DialogBody } from '../components/dialog.tsx';
import { Choice, TextField } from '../components/fields.tsx';
import { Form, Submit } from '../components/form.tsx';
import { Note } from '../components/note.tsx';
import { Select } from '../components/select.tsx';
import { Toggle } from '../components/toggle.tsx';
import { useNow } from '../components/use-now.ts';
import { formatDay } from '../text/format.ts';
import { nameProblem } from '../text/names.ts';
import type { NewToken, TokenDetails, TokenScope } from './token-queries.ts';
import css from './tokens.module.css';
import { SCOPE_WORDS } from './words.ts';

const DAY_MS = 86_400_000;
type Lifetime = '7' | '30' | '90';

interface NewTokenProps {
  readonly accountId: string;
  readonly onClose: () => void;
  /** It alone holds the token then. */
  readonly onToken: (token: NewToken) => void;
}

/** Creates a management token. */
export function NewTokenDialog({ accountId, onClose, onToken }: NewTokenProps) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly TokenScope[]>(['keys:read', 'keys:write']);
  const [projectId, setProjectId] = useState('');
  const [lifetime, setLifetime] = useState<Lifetime>('30');
  const [isNoneTold, setNoneTold] = useState(false);
  const { data: projects = [] } = useQuery(projectsQuery(accountId));
  const nowMs = useNow();
  const action = useAction((body: TokenDetails, idempotencyKey) => {
    const params = { path: { accountId }, header: { 'Idempotency-Key': idempotencyKey } };
    return answer(api.POST('/api/accounts/{accountId}/tokens', { body, params }));
  }, onToken);
  const choose = (scope: TokenScope, isOn: boolean): void => {
    setNoneTold(false);
    setScopes((before) => (isOn ? [...before, scope] : before.filter((one) => one !== scope)));
  };
  const submit = (): void => {
    if (scopes.length === 0) setNoneTold(true);
    else {
      const details = { name: name.trim(), scopes: [...scopes], expiresInDays: Number(lifetime) };
      action.run({ ...details, ...(projectId !== '' && { projectId }) });
    }
  };
  return (
    <Dialog
      title="Create a management token"
      about="A program uses it to manage keys and to read usage, as CI or Terraform."
      onClose={onClose}
      isGuarded
    >
      <DialogBody>
        <Form action={action} problems={{ name: nameProblem(name) }} onSubmit={submit}>
          <TextField
            label="Name of the token"
            name="name"
            value={name}
            onChange={setName}
            hint="Name the program that uses it. The audit shows this name."
            autoFocus
          />
          <fieldset className={css.scopes}>
            <legend className={css.legend}>It may</legend>
            {SCOPE_WORDS.map(([scope, words]) => (
              <Toggle key={scope} isOn={scopes.includes(scope)} onChange={(isOn) => choose(scope, isOn)}>
                {words}
              </Toggle>
            ))}
          </fieldset>
          {isNoneTold && (
            <Note kind="bad" isAlert>
              Choose at least one.
            </Note>
          )}
          <Select
            label="In"
            value={projectId}
            onChange={setProjectId}
            options={[['', 'All projects'], ...projects.map((project) => [project.projectId, project.name] as const)]}
          />
          <Choice<Lifetime>
            label="Expires"
            name="expiresInDays"
            value={lifetime}
            onChange={setLifetime}
            options={[
              ['7', '7 days'],
              ['30', '30 days'],
              ['90', '90 days'],
            ]}
            hint={`On ${formatDay(new Date(nowMs + Number(lifetime) * DAY_MS).toISOString(), nowMs)}.`}
            isInLine
          />
          <Submit kind="primary" isPending={action.isPending} onCancel={onClose}>
            Create token
          </Submit>
        </Form>
      </DialogBody>
    </Dialog>
  );
}
