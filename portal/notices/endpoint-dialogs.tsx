import { answer, api } from '../api/client.ts';
import { useAction, useRemoval, type Action } from '../api/use-action.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { useDialogChange } from '../components/use-dialog-change.ts';
import { useNow } from '../components/use-now.ts';
import type { Endpoint, NoticeKind } from './endpoint-queries.ts';
import { shortUrl, twoSecretsUntil, FIRST_KINDS, KIND_WORDS, urlHint, urlProblem } from './endpoint-words.ts';
import type { NewSecret } from './secret-dialog.tsx';
import { useKept } from '../components/use-kept.ts';
import { TextField } from '../components/fields.tsx';
import { FormDialog } from '../components/form-dialog.tsx';
import { Several, useSeveral } from '../components/several.tsx';
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
  const action = useAction((body: EndpointDetails, header) => {
    const params = { path: { accountId }, header };
    return answer(api.POST(ENDPOINTS, { body, params }));
  }, onSecret);
  return (
    <EndpointForm
      form="new endpoint"
      title="Add a webhook endpoint"
      word="Add endpoint"
      action={action}
      onClose={onClose}
    />
  );
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
  return (
    <EndpointForm
      form={`endpoint ${endpoint.endpointId}`}
      title={title}
      word="Save"
      present={endpoint}
      action={action}
      onClose={onClose}
    />
  );
}

/** Asks, and gives an endpoint a new secret. */
export function RotateSecret({ accountId, endpoint, onClose, onSecret }: OfEndpoint & MakesSecret) {
  const action = useAction<undefined, NewSecret>((_input, header) => {
    const path = { accountId, endpointId: endpoint.endpointId };
    return answer(api.POST(`${ENDPOINT}/rotate`, { params: { path, header } }));
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
  /** Its name in the page. */
  readonly form: string;
  readonly title: string;
  readonly word: string;
  readonly present?: EndpointDetails;
  readonly action: Action<EndpointDetails>;
  readonly onClose: () => void;
}

/** The form for the address of an endpoint and its kinds of notices. */
function EndpointForm({ form, title, word, present, action, onClose }: EndpointFormProps) {
  const isLocal = useSession().stage === 'local';
  const [url, setUrl] = useKept(form, 'url', present?.url ?? '');
  const kinds = useSeveral(form, 'kinds', present?.kinds ?? FIRST_KINDS);
  const submit = (): void => {
    if (!kinds.isNone()) action.run({ url: url.trim(), kinds: [...kinds.chosen] });
  };
  return (
    <FormDialog
      title={title}
      about="It gets a signed request for each change that you choose."
      onClose={onClose}
      action={action}
      problems={{ url: urlProblem(url.trim(), isLocal) }}
      onSubmit={submit}
      word={word}
    >
      <TextField
        label="Address"
        name="url"
        value={url}
        onChange={setUrl}
        inputMode="url"
        hint={urlHint(isLocal)}
        autoFocus
      />
      <Several label="Notices" choice={kinds} options={KIND_OPTIONS} hasColumns />
    </FormDialog>
  );
}

const KIND_OPTIONS = KIND_WORDS.map(
  ([kind, words]) =>
    [
      kind,
      <span key={kind}>
        {words} <code className={css.type}>{kind}</code>
      </span>,
    ] as const,
);
