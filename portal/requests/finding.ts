import { answer, api } from '../api/client.ts';
import { PortalError } from '../api/problem.ts';
import type { UsageEvent } from '../api/schemas.ts';
import { readEvents, type ProjectIds } from '../api/usage-queries.ts';
import { requestIdIn } from '../search/entries.ts';
import { counted, formatFull } from '../text/format.ts';
import { outcomeOf } from './outcomes.ts';

/** The result of a search for a request in a project's ledger. */
export interface Finding {
  readonly sentence: string;
  /** The request to open; undefined: there is none. */
  readonly event?: UsageEvent | undefined;
}

const PROJECT = '/api/accounts/{accountId}/projects/{projectId}';
const MAX_CLIENT_CHARACTERS = 128;
const NONE =
  'Nothing here has this id, and no success of the last 24 hours is kept under it. A request under way is not seen, nor one that is in no list, such as of an unknown key.';

/** Searches a text as a request id, then as an Idempotency-Key, then as a client's own id. */
export async function findByText(
  ids: ProjectIds,
  text: string,
  span: { readonly since?: string; readonly until?: string },
): Promise<Finding> {
  const byId = await findById(ids, text);
  if (byId) return { sentence: `Your request of ${whatBecameOf(byId)}`, event: byId };
  if (/^[\x21-\x7E]{1,255}$/.test(text)) {
    const params = { path: ids };
    const charge = await answer(api.POST(`${PROJECT}/charges/lookup`, { params, body: { idempotencyKey: text } }));
    if (charge.state === 'charged') {
      const { original, storedUntil } = charge;
      const what = original ? `, the request of ${whatBecameOf(original)}` : '.';
      return {
        sentence: `Charged once under this Idempotency-Key${what} A repeat is free until ${formatFull(storedUntil)}.`,
        event: original ?? undefined,
      };
    }
  }
  if (Array.from(text).length > MAX_CLIENT_CHARACTERS) return { sentence: NONE };
  const { events } = await readEvents(ids, { ...span, clientRequestId: text, limit: 1 });
  const [newest] = events;
  return newest
    ? { sentence: `The newest request that you named so, of ${whatBecameOf(newest)}`, event: newest }
    : { sentence: NONE };
}

async function findById(ids: ProjectIds, text: string): Promise<UsageEvent | undefined> {
  const requestId = requestIdIn(text);
  if (requestId === undefined) return undefined;
  const params = { path: { ...ids, requestId } };
  return answer(api.GET(`${PROJECT}/events/{requestId}`, { params })).catch((error: unknown) => {
    if (error instanceof PortalError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  });
}

const whatBecameOf = (event: UsageEvent): string =>
  `${formatFull(event.occurredAt)}: ${outcomeOf(event).words.toLowerCase()}, ${counted(event.units, 'unit')} charged.`;
