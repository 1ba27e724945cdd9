import { useQuery } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { keysQuery, type ProjectIds } from '../api/queries.ts';
import type { Key } from '../api/schemas.ts';
import { FormDialog } from '../components/form-dialog.tsx';
import { useDialogChange } from '../components/use-dialog-change.ts';
import { useNow } from '../components/use-now.ts';
import { formatCount } from '../text/format.ts';
import { perPeriod, sharersOf, type CapPeriod } from './cap.ts';
import { nameOf } from './key-view.ts';
import { UnitsLimitField, useCap } from './units-limit-field.tsx';

/** The properties of a dialog about a key. */
export interface KeyDialogProps extends ProjectIds {
  readonly apiKey: Key;
  readonly onClose: () => void;
}

/**
 * Changes or removes the cap of a key, or the budget that it shares with others. A replaced key spends from the cap of
 * its successor, even if the successor is revoked.
 */
export function CapDialog({ apiKey, onClose, ...ids }: KeyDialogProps) {
  const { keyId, replacedBy, unitsLimit, unitsPeriod } = apiKey;
  const { data: active = [] } = useQuery(keysQuery(ids.accountId, ids.projectId));
  const count = sharersOf(apiKey, active, useNow()).length;
  const isShared = count > 1 || apiKey.capOf !== null;
  const cap = useCap(ids, `cap ${keyId}`, apiKey, isShared);
  const path = { ...ids, keyId: replacedBy ?? keyId };
  const action = useDialogChange(
    onClose,
    (body: { unitsLimit: number | null; unitsPeriod?: CapPeriod }) =>
      answer(api.PATCH('/api/accounts/{accountId}/projects/{projectId}/keys/{keyId}', { body, params: { path } })),
    (body) =>
      body.unitsLimit === null
        ? 'The key has no cap now.'
        : `The ${isShared ? 'budget' : 'cap'} is now ${formatCount(body.unitsLimit)} units${body.unitsPeriod ? perPeriod(body.unitsPeriod) : ''}.`,
  );
  const submit = (): void => {
    if (cap.limit === unitsLimit && (unitsLimit === null || cap.period === unitsPeriod)) onClose();
    else if (!cap.asks()) action.run(cap.asked);
  };
  const keys = count > 1 ? `${count} keys` : 'key';
  const spends = `${replacedBy === null ? 'A key that it replaced, and that still works,' : 'The key in its place'} spends from the same cap.`;
  return (
    <FormDialog
      title={
        <>
          {isShared ? 'Budget' : 'Cap'} of <bdi>{nameOf(apiKey)}</bdi>
        </>
      }
      about={
        count > 1
          ? `${keys} share it. A change is for all of them, from their next requests on.`
          : `It holds from the next request on. ${spends}`
      }
      onClose={onClose}
      action={action}
      problems={{ unitsLimit: cap.problem }}
      onSubmit={submit}
      word={!cap.isAsking ? 'Save' : count > 1 ? `Stop ${keys}` : 'Refuse every request'}
    >
      <UnitsLimitField
        of={cap}
        autoFocus
        {...(count > 1 && { zero: `With a budget of 0 every request of these ${keys} is refused.` })}
      />
    </FormDialog>
  );
}
