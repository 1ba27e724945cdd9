import { answer, api } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { useDialogChange } from '../components/use-dialog-change.ts';
import { useNow } from '../components/use-now.ts';
import { EndpointForm, type EndpointDetails } from './endpoint-form.tsx';
import type { Endpoint } from './endpoint-queries.ts';
import { shortUrl, twoSecretsUntil } from './endpoint-words.ts';
import type { NewSecret } from './secret-dialog.tsx';

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
    { accountId, onClose },
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
    { accountId, onClose },
    () => answer(api.DELETE(ENDPOINT, { params: { path: { accountId, endpointId: endpoint.endpointId } } })),
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
