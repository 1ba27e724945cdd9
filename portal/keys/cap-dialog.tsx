import { useState } from 'react';
import { answer, api } from '../api/client.ts';
import type { Key } from '../api/schemas.ts';
import { Dialog, DialogBody } from '../components/dialog.tsx';
import { Form, Submit } from '../components/form.tsx';
import { useDialogChange } from '../components/use-dialog-change.ts';
import { formatCount } from '../text/format.ts';
import { nameOf } from './key-view.ts';
import { UnitsLimitField, readUnitsLimit, unitsLimitProblem, useCapOfNothing } from './units-limit-field.tsx';

interface CapDialogProps {
  readonly accountId: string;
  readonly projectId: string;
  readonly apiKey: Key;
  readonly onClose: () => void;
}

/**
 * Changes or removes the cap of a key. A replaced key spends from the cap of its successor, even if the successor is
 * revoked.
 */
export function CapDialog({ accountId, projectId, apiKey, onClose }: CapDialogProps) {
  const { keyId, replacedBy, unitsLimit, unitsUsed } = apiKey;
  const [typed, setTyped] = useState(unitsLimit === null ? '' : String(unitsLimit));
  const path = { accountId, projectId, keyId: replacedBy ?? keyId };
  const action = useDialogChange(
    onClose,
    (body: { unitsLimit: number | null }) =>
      answer(api.PATCH('/api/accounts/{accountId}/projects/{projectId}/keys/{keyId}', { body, params: { path } })),
    (body) =>
      body.unitsLimit === null ? 'The key has no cap now.' : `The cap is ${formatCount(body.unitsLimit)} units now.`,
  );
  const zero = useCapOfNothing(typed);
  const submit = (): void => {
    const wanted = readUnitsLimit(typed);
    if (wanted === unitsLimit) onClose();
    else if (zero.asks()) return;
    else if (wanted !== undefined) action.run({ unitsLimit: wanted });
  };
  return (
    <Dialog
      title={
        <>
          Cap of <bdi>{nameOf(apiKey)}</bdi>
        </>
      }
      about={`It holds from the next request on. ${replacedBy === null ? 'A key that it replaced, and that still works,' : 'The key in its place'} spends from the same cap.`}
      onClose={onClose}
    >
      <DialogBody>
        <Form action={action} problems={{ unitsLimit: unitsLimitProblem(typed) }} onSubmit={submit}>
          <UnitsLimitField
            accountId={accountId}
            projectId={projectId}
            used={unitsUsed}
            isAsking={zero.isAsking}
            value={typed}
            onChange={setTyped}
            autoFocus
          />
          <Submit kind="primary" isPending={action.isPending} onCancel={onClose}>
            {zero.isAsking ? 'Refuse every request' : 'Save'}
          </Submit>
        </Form>
      </DialogBody>
    </Dialog>
  );
}
