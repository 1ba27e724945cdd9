import { answer, api } from '../api/client.ts';
import { useAction, useRemoval, type Action } from '../api/use-action.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { useDialogChange } from '../components/use-dialog-change.ts';
import { useNow } from '../components/use-now.ts';
import type { Endpoint, NoticeKind } from './endpoint-queries.ts';
import { shortUrl, twoSecretsUntil, FIRST_KINDS, KIND_WORDS, urlProblem } from './endpoint-words.ts';
import type { NewSecret } from './secret-dialog.tsx';
import { useState } from 'react';
import { Dialog, DialogBody } from '../components/dialog.tsx';
import { TextField } from '../components/fields.tsx';
import { Form, Submit } from '../components/form.tsx';
import { Note } from '../components/note.tsx';
import { Toggle } from '../components/toggle.tsx';
import { useSession } from '../session.ts';
import css from './endpoints.module.css';

const ENDPOINTS = '/api/accounts/{accountId}/endpoints';
const ENDPOINT = `${ENDPOINTS}/{endpointId}` as const;

interface OfAccount {
  readonly accountId: string;
  readonly onClose: () => void;
}
interface OfEndpoint extends OfAccount {
  readonly endpoint: Endpoint;
}
interface MakesSecret {
  readonly onSecret: (secret: NewSecret) => void;
}

/** Creates an endpoint and passes its secret to `onSecret`, which alone holds it then. */
export function NewEndpoint({ accountId, onClose, onSecret }: OfAccount & MakesSecret) {
  const action = useAction((body: EndpointDetails, idempotencyKey) => {
    const params = { path: { accountId }, header: { 'Idempotency-Key': idempotencyKey } };
    return answer(api.POST(ENDPOINTS, { body, params }));
  }, onSecret);
  return <EndpointForm title="Add a webhook endpoint" word="Add endpoint" action={action} onClose={onClose} />;
}

/** Changes address and kinds of an endpoint. */
export function ChangeEndpoint({ accountId, endpoint, onClose }: OfEndpoint) {
  const params = { path: { accountId, endpointId: endpoint.endpointId } };
  const action = useDialogChange(
    onClose,
    (body: EndpointDetails) => answer(api.PATCH(ENDPOINT, { body, params })),
    () => 'Saved.',
  );
  const title = `Change ${shortUrl(endpoint)}`;
  return <EndpointForm title={title} word="Save" present={endpoint} action={action} onClose={onClose} />;
}

/** Asks, and gives an endpoint a new secret. */
export function RotateSecret({ accountId, endpoint, onClose, onSecret }: OfEndpoint & MakesSecret) {
  const action = useAction<undefined, NewSecret>((_input, idempotencyKey) => {
    const path = { accountId, endpointId: endpoint.endpointId };
    return answer(api.POST(`${ENDPOINT}/rotate`, { params: { path, header: { 'Idempotency-Key': idempotencyKey } } }));
  }, onSecret);
  const isOverlapping = twoSecretsUntil(endpoint, useNow()) !== undefined;
  return (
    <ConfirmDialog
      title={`New secret for ${shortUrl(endpoint)}?`}
      action={action}
      onConfirm={() => action.run(undefined)}
      onClose={onClose}
      word="Make a new secret"
      isDanger={isOverlapping}
    >
      <p>You see it once. For 24 hours deliveries are signed with both, so that you can change it without a gap.</p>
      {isOverlapping && <p>The secret before the present one still works. It ends at once.</p>}
    </ConfirmDialog>
  );
}

/** Asks, and deletes an endpoint. */
export function DeleteEndpoint({ accountId, endpoint, onClose }: OfEndpoint) {
  const action = useDialogChange<undefined, unknown>(
    onClose,
    useRemoval(() =>
      answer(api.DELETE(ENDPOINT, { params: { path: { accountId, endpointId: endpoint.endpointId } } })),
    ),
    () => 'The endpoint is deleted.',
  );
  return (
    <ConfirmDialog
      title={`Delete ${shortUrl(endpoint)}?`}
      action={action}
      onConfirm={() => action.run(undefined)}
      onClose={onClose}
      word="Delete endpoint"
      isDanger
    >
      <p>
        Nothing is sent to it any more, and what waits is dropped. Its list of deliveries is gone. You cannot undo this.
      </p>
    </ConfirmDialog>
  );
}

/** The attributes of an endpoint that an owner chooses. */
interface EndpointDetails {
  readonly url: string;
  readonly kinds: NoticeKind[];
}

interface EndpointFormProps {
  readonly title: string;
  readonly word: string;
  readonly present?: EndpointDetails;
  readonly action: Action<EndpointDetails>;
  readonly onClose: () => void;
}

/** The form for the address of an endpoint and its kinds of notices. */
function EndpointForm({ title, word, present, action, onClose }: EndpointFormProps) {
  const isLocal = useSession().stage === 'local';
  const [url, setUrl] = useState(present?.url ?? '');
  const [kinds, setKinds] = useState<readonly NoticeKind[]>(present?.kinds ?? FIRST_KINDS);
  const [isNoneTold, setNoneTold] = useState(false);
  const choose = (kind: NoticeKind, isOn: boolean): void => {
    setNoneTold(false);
    setKinds((before) => (isOn ? [...before, kind] : before.filter((one) => one !== kind)));
  };
  const submit = (): void => {
    if (kinds.length === 0) setNoneTold(true);
    else action.run({ url: url.trim(), kinds: [...kinds] });
  };
  return (
    <Dialog title={title} about="It gets a signed request for each change that you choose." onClose={onClose}>
      <DialogBody>
        <Form action={action} problems={{ url: urlProblem(url.trim(), isLocal) }} onSubmit={submit}>
          <TextField
            label="Address"
            name="url"
            value={url}
            onChange={setUrl}
            inputMode="url"
            hint={
              isLocal
                ? 'https, or http://localhost on this machine.'
                : 'https, with a public name. Put no secret in it.'
            }
            autoFocus
          />
          <fieldset className={css.kinds}>
            <legend className={css.legend}>Notices</legend>
            <div className={css.toggles}>
              {KIND_WORDS.map(([kind, words]) => (
                <Toggle key={kind} isOn={kinds.includes(kind)} onChange={(isOn) => choose(kind, isOn)}>
                  <span>
                    {words} <code className={css.type}>{kind}</code>
                  </span>
                </Toggle>
              ))}
            </div>
          </fieldset>
          {isNoneTold && (
            <Note kind="bad" isAlert>
              Choose at least one.
            </Note>
          )}
          <Submit kind="primary" isPending={action.isPending} onCancel={onClose}>
            {word}
          </Submit>
        </Form>
      </DialogBody>
    </Dialog>
  );
}
