import { answer, api } from '../api/client.ts';
import { PortalError } from '../api/problem.ts';
import type { UsageEvent } from '../api/schemas.ts';
import type { ProjectIds } from '../api/queries.ts';
import { readEvents, type RequestFilter } from '../api/usage-queries.ts';
import { codeIn, requestIdIn } from '../search/pasted.ts';
import { counted, DAY_MS, formatCount, formatFull } from '../text/format.ts';
import { asSentence, inWords } from './cause.ts';
import { isRelated, often, verdictOf, type Verdict } from './charged-again.ts';
import { outcomeOf } from './outcomes.ts';

/** The result of a search for a request in a project's ledger. */
export interface Finding {
  /** A few words for a list; empty: nothing was found. */
  readonly words: string;
  readonly sentence: string;
  /** The request to open; undefined: there is none. */
  readonly event?: UsageEvent | undefined;
  /** The client's own id that several requests have: the list can show them. */
  readonly named?: string;
  /** On the requests of that name. */
  readonly verdict?: Verdict | undefined;
}

const PROJECT = '/api/accounts/{accountId}/projects/{projectId}';
const MAX_CLIENT_CHARACTERS = 128;
/** The number of requests of a page, and the most pages. Each page searches a thousand requests. */
const [MOST_READ, MAX_PAGES] = [200, 3];
const NONE =
  'Nothing here has this id, and no success of the last 24 hours has it as its Idempotency-Key. A request under way is not found. Nor is one that is in no list, such as one with an unknown key.';
/** Of an id of no request, where refusals were kept in its minute. */
export const COUNTED_WITH_OTHERS =
  'No request is kept under this id. Of several refusals of one key with one code in a minute the first is kept, and stands for the others.';

interface Times {
  readonly since?: string;
  readonly until?: string;
}

/** Searches a text as a request id, then as an Idempotency-Key, then as a client's own id. */
export async function findByText(ids: ProjectIds, text: string, times: Times): Promise<Finding> {
  const byId = await findById(ids, text);
  if (byId) return byId;
  const [charge, named] = await Promise.all([findCharge(ids, text), findNamed(ids, text, times)]);
  if (!charge || !named || isOnly(charge, named)) return charge ?? named ?? { words: '', sentence: NONE };
  return { ...named, ...charge, sentence: `${charge.sentence} As a clientRequestId: ${named.sentence}` };
}

/** Whether the request of an Idempotency-Key is also the only one that the client named so. */
const isOnly = ({ event }: Finding, named: Finding): boolean =>
  named.named === undefined && named.event?.requestId === event?.requestId;

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
  const filter = { since: occurredAt, event: 'idempotency_replay', limit: MOST_READ } as const;
  const { events, isWhole } = await readSome(ids, filter);
  const count = events.filter(({ originalRequestId }) => originalRequestId === requestId).length;
  if (isWhole) return count === 0 ? 'not replayed' : `replayed ${often(count)}`;
  return count === 0 ? undefined : `replayed at least ${often(count)}`;
}

/** The newest requests of a filter, in a bounded number of pages, and whether there are no others. */
async function readSome(
  ids: ProjectIds,
  filter: RequestFilter & { readonly limit: number },
): Promise<{ readonly events: readonly UsageEvent[]; readonly isWhole: boolean }> {
  const events: UsageEvent[] = [];
  let cursor: string | null = null;
  for (let page = 1; page <= MAX_PAGES; page++) {
    const read = await readEvents(ids, { ...filter, ...(cursor !== null && { cursor }) });
    events.push(...read.events);
    cursor = read.cursor;
    if (cursor === null) return { events, isWhole: true };
  }
  return { events, isWhole: false };
}

/** Other requests that belong to one: of its name, or with its stored answer; and whether they are all. */
export interface Related {
  readonly events: readonly UsageEvent[];
  readonly isWhole: boolean;
}

/** How far from a request others of its name are looked for. A repeat is free for one day. */
const AROUND_MS = 2 * DAY_MS;

/** Searches the requests of the same name around one, and those with its stored answer, in a few pages. */
export async function relatedTo(ids: ProjectIds, event: UsageEvent): Promise<Related> {
  const { clientRequestId, occurredAt, units } = event;
  const at = (distanceMs: number) => new Date(Date.parse(occurredAt) + distanceMs).toISOString();
  const span = { until: at(AROUND_MS), limit: MOST_READ };
  const read = await Promise.all([
    ...(clientRequestId === null ? [] : [readSome(ids, { ...span, since: at(-AROUND_MS), clientRequestId })]),
    ...(units === 0 ? [] : [readSome(ids, { ...span, since: occurredAt, event: 'idempotency_replay' })]),
  ]);
  const events = new Map(read.flatMap((some) => some.events).map((each) => [each.requestId, each]));
  const related = [...events.values()].filter((other) => isRelated(event, other));
  return { events: related, isWhole: read.every(({ isWhole }) => isWhole) };
}

/**
 * The requests of a span with this id of their client. All of them are counted: two of one name are what a client
 * shows that was charged twice.
 */
async function findNamed(ids: ProjectIds, text: string, times: Times = {}): Promise<Finding | undefined> {
  if (Array.from(text).length > MAX_CLIENT_CHARACTERS) return undefined;
  const { events, isWhole } = await readSome(ids, { ...times, clientRequestId: text, limit: MOST_READ });
  const [event] = events;
  if (!event) return undefined;
  if (events.length === 1) {
    const sentence = `${isWhole ? 'One request has this name' : 'The newest request of this name'}, of ${whatBecameOf(event)}`;
    return { words: outcomeOf(event).words, sentence, event };
  }
  const charged = events.reduce((sum, { units }) => sum + units, 0);
  const verdict = verdictOf(events, isWhole);
  const more = isWhole ? '' : ' or more';
  const counts = `${formatCount(events.length)}${more} requests have this name: ${counted(charged, 'unit')}${more} charged`;
  return {
    words: [counts, ...(verdict?.keys ? [verdict.keys] : [])].join(', '),
    sentence: `${counts}. The newest is of ${whatBecameOf(event)}`,
    event,
    named: text,
    verdict,
  };
}

/** The request of an id, or the refusal that may stand for it. */
async function findById(ids: ProjectIds, text: string): Promise<Finding | undefined> {
  const requestId = requestIdIn(text);
  if (requestId === undefined) return undefined;
  const params = { path: { ...ids, requestId } };
  try {
    const event = await answer(api.GET(`${PROJECT}/events/{requestId}`, { params }));
    const why = event.cause ? ` ${asSentence(inWords(event.cause, event))}` : '';
    return { words: 'Found', sentence: `Your request of ${whatBecameOf(event)}${why}`, event };
  } catch (error) {
    if (!(error instanceof PortalError) || error.code !== 'NOT_FOUND') throw error;
    const code = codeIn(text);
    const instead = error.keptInstead.find(({ event }) => code === undefined || event.code === code)?.event;
    return instead && { words: 'Counted with others', sentence: COUNTED_WITH_OTHERS, event: instead };
  }
}

const whatBecameOf = (event: UsageEvent): string =>
  `${formatFull(event.occurredAt)}: ${outcomeOf(event).words.toLowerCase()}, ${counted(event.units, 'unit')} charged.`;
