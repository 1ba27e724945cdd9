import { answer, api } from '../api/client.ts';
import type { ProjectIds } from '../api/queries.ts';
import type { Key } from '../api/schemas.ts';
import { FormDialog } from '../components/form-dialog.tsx';
import { useDialogChange } from '../components/use-dialog-change.ts';
import { useKept } from '../components/use-kept.ts';
import { formatCount } from '../text/format.ts';
import { nameOf } from './key-view.ts';
import { UnitsLimitField, readUnitsLimit, unitsLimitProblem, useCapOfNothing } from './units-limit-field.tsx';

/** The properties of a dialog about a key. */
export interface KeyDialogProps extends ProjectIds {
  readonly apiKey: Key;
  readonly onClose: () => void;
}

/**
 * Changes or removes the cap of a key. A replaced key spends from the cap of its successor, even if the successor is
 * revoked.
 */
export function CapDialog({ apiKey, onClose, ...ids }: KeyDialogProps) {
  const { keyId, replacedBy, unitsLimit, unitsUsed } = apiKey;
  const [typed, setTyped] = useKept(`cap ${keyId}`, 'units', unitsLimit === null ? '' : String(unitsLimit));
  const path = { ...ids, keyId: replacedBy ?? keyId };
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
    <FormDialog
      title={
        <>
          Cap of <bdi>{nameOf(apiKey)}</bdi>
        </>
      }
      about={`It holds from the next request on. ${replacedBy === null ? 'A key that it replaced, and that still works,' : 'The key in its place'} spends from the same cap.`}
      onClose={onClose}
      action={action}
      problems={{ unitsLimit: unitsLimitProblem(typed) }}
      onSubmit={submit}
      word={zero.isAsking ? 'Refuse every request' : 'Save'}
    >
      <UnitsLimitField {...ids} used={unitsUsed} isAsking={zero.isAsking} value={typed} onChange={setTyped} autoFocus />
    </FormDialog>
  );
}
