import { answer, api } from '../api/client.ts';
import { PortalError } from '../api/problem.ts';
import type { UsageEvent } from '../api/schemas.ts';
import { readEvents, type ProjectIds } from '../api/usage-queries.ts';
import { requestIdIn } from '../search/entries.ts';
import { counted, formatCount, formatFull } from '../text/format.ts';
import { outcomeOf } from './outcomes.ts';

/** The result of a search for a request in a project's ledger. */
export interface Finding {
  /** A few words for a list; empty: nothing was found. */
  readonly words: string;
  readonly sentence: string;
  /** The request to open; undefined: there is none. */
  readonly event?: UsageEvent | undefined;
}

const PROJECT = '/api/accounts/{accountId}/projects/{projectId}';
const MAX_CLIENT_CHARACTERS = 128;
/** The number of replays of a page, and the most pages. Each page searches a thousand requests. */
const [REPLAYS_READ, MAX_PAGES] = [200, 3];
const NONE =
  'Nothing here has this id, and no success of the last 24 hours has it as its Idempotency-Key. A request under way is not found. Nor is one that is in no list, such as one with an unknown key.';

interface Times {
  readonly since?: string;
  readonly until?: string;
}

/** Searches a text as a request id, then as an Idempotency-Key, then as a client's own id. */
export async function findByText(ids: ProjectIds, text: string, times: Times): Promise<Finding> {
  const byId = await findById(ids, text);
  if (byId) return { words: 'Found', sentence: `Your request of ${whatBecameOf(byId)}`, event: byId };
  return (await findCharge(ids, text)) ?? (await findNamed(ids, text, times)) ?? { words: '', sentence: NONE };
}

/** Searches projects for a text as an Idempotency-Key and, where none has it, as a client's own id. */
export async function findAmong<Ids extends ProjectIds>(
  projects: readonly Ids[],
  text: string,
): Promise<(Finding & { readonly in: Ids })[]> {
  for (const find of [findCharge, findNamed]) {
    const findings = await Promise.all(
      projects.map(async (ids) => {
        const finding = await find(ids, text);
        return finding ? [{ ...finding, in: ids }] : [];
      }),
    );
    if (findings.flat().length > 0) return findings.flat();
  }
  return [];
}

/** The success under an Idempotency-Key, and how often it was replayed. */
async function findCharge(ids: ProjectIds, text: string): Promise<Finding | undefined> {
  if (!/^[\x21-\x7E]{1,255}$/.test(text)) return undefined;
  const params = { path: ids };
  const charge = await answer(api.POST(`${PROJECT}/charges/lookup`, { params, body: { idempotencyKey: text } }));
  if (charge.state !== 'charged') return undefined;
  const { original, storedUntil } = charge;
  const what = original ? `, the request of ${whatBecameOf(original)}` : '.';
  const repeats = original ? await repeatsOf(ids, original) : undefined;
  return {
    words: ['Charged once', ...(repeats === undefined ? [] : [repeats])].join(', '),
    sentence: `Charged once under this Idempotency-Key${what}${repeats === undefined ? '' : ` It was ${repeats}.`} A repeat is free until ${formatFull(storedUntil)}.`,
    event: original ?? undefined,
  };
}

/**
 * `replayed twice`. Undefined: no replay was found, and there were too many requests since then to search all of them.
 */
async function repeatsOf(ids: ProjectIds, { occurredAt, requestId }: UsageEvent): Promise<string | undefined> {
  const filter = { since: occurredAt, event: 'idempotency_replay', limit: REPLAYS_READ } as const;
  let count = 0;
  let cursor: string | null = null;
  for (let page = 1; page <= MAX_PAGES; page++) {
    const read = await readEvents(ids, { ...filter, ...(cursor !== null && { cursor }) });
    count += read.events.filter(({ originalRequestId }) => originalRequestId === requestId).length;
    cursor = read.cursor;
    if (cursor === null) return count === 0 ? 'not replayed' : `replayed ${often(count)}`;
  }
  return count === 0 ? undefined : `replayed at least ${often(count)}`;
}

const often = (count: number): string => ['once', 'twice'][count - 1] ?? `${formatCount(count)} times`;

/** The newest request of a span with this id of its client. */
async function findNamed(ids: ProjectIds, text: string, times: Times = {}): Promise<Finding | undefined> {
  if (Array.from(text).length > MAX_CLIENT_CHARACTERS) return undefined;
  const { events } = await readEvents(ids, { ...times, clientRequestId: text, limit: 1 });
  const [event] = events;
  return (
    event && {
      words: outcomeOf(event).words,
      sentence: `The newest request that you named so, of ${whatBecameOf(event)}`,
      event,
    }
  );
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
