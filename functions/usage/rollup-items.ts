import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { AccountStore } from '../accounts/account-store.ts';
import { isoTime, MS_PER_DAY, MS_PER_SECOND } from '../core/clock.ts';
import { shorterThan, type Bounds, type StretchLength, type Stretches } from '../core/usage-stretches.ts';
import { parseTally, tallyText } from '../core/usage-tally-text.ts';
import type { UsageTally } from '../core/usage-tally.ts';
import { available } from '../store/client.ts';
import { callOptions, names, type ItemKey } from '../store/items.ts';
import { queryPages, type ItemPage } from './query-pages.ts';

/** Parts are for the hours that are not closed yet. */
const PART_RETENTION_MS = 2 * MS_PER_DAY;
/** Of the time in a sort key: `2026-11-21`, `2026-11-21T09`, `2026-11-21T09:05`. */
const TIME_CHARACTERS = { DAY: 10, HOUR: 13, PART: 16 } as const;

/** The partition of what is kept of a project. */
export const rollupPartition = (projectId: string): string => `ROLLUP#${projectId}`;

const sortKey = ({ kind }: StretchLength, epochMs: number): string =>
  `${kind}#${isoTime(epochMs).slice(0, TIME_CHARACTERS[kind])}`;

/** What is kept of one closed stretch: what its events amount to, all of them or the first ones. */
export interface StoredRollup extends ItemKey {
  /** Of `tallyText`; read by {@link sumOf}. */
  readonly tally?: string;
  /**
   * Every event from the beginning of the stretch to this sort key of the usage table is counted, the one at it included:
   * of a stretch that is summed whole its end as an ISO time, or where there are no events in it and in those after it
   * the end of the last of these. What comes before it is closed, so this too is counted once and for all.
   */
  readonly upTo: string;
}

/** The sum in a kept item; undefined: it has none, or not how far it goes. Then a hand was there, and it counts as not kept. */
export const sumOf = ({ tally, upTo }: StoredRollup): UsageTally | undefined =>
  typeof (upTo as unknown) === 'string' ? parseTally(tally) : undefined;

/** A stretch and what is to be kept of it. */
export interface Rollup {
  readonly length: StretchLength;
  readonly startMs: number;
  readonly tally: UsageTally;
  readonly upTo: string;
}

/** `upTo` of a stretch that is summed whole. */
export const endOf = ({ length, startMs }: Pick<Rollup, 'length' | 'startMs'>): string =>
  isoTime(startMs + length.lengthMs);

/** The time that a sort key of the usage table begins with, or a time alone. */
export const timeOf = (position: string): number => Date.parse(position.slice(0, 'YYYY-MM-DDTHH:MM:SS.mmmZ'.length));

/** The beginning of a kept stretch. */
export function startOfRollup({ sk }: ItemKey): number {
  const time = sk.slice(sk.indexOf('#') + 1);
  // With what it lacks of a time.
  return Date.parse(`${time}${'T00:00Z'.slice(time.length - TIME_CHARACTERS.DAY)}`);
}

/** What is kept of consecutive stretches, in their order, page by page as it is taken. */
export const rollupPages = (
  store: AccountStore,
  projectId: string,
  { length, sinceMs, untilMs }: Stretches,
): AsyncGenerator<ItemPage<StoredRollup>> =>
  queryPages(store, {
    TableName: store.tables.gateway,
    KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :since AND :last',
    ExpressionAttributeNames: names('pk', 'sk'),
    ExpressionAttributeValues: {
      ':pk': rollupPartition(projectId),
      ':since': sortKey(length, sinceMs),
      ':last': sortKey(length, untilMs - length.lengthMs),
    },
    ConsistentRead: true,
  });

/** All that is kept of the stretches, shorter than these, that some time holds; the bounds are whole ones of these. */
export async function readShorter(
  store: AccountStore,
  projectId: string,
  length: StretchLength,
  { sinceMs, untilMs }: Bounds,
): Promise<StoredRollup[]> {
  const kept = shorterThan(length).map(async (shorter) => {
    const found: StoredRollup[] = [];
    const pages = rollupPages(store, projectId, { length: shorter, sinceMs, untilMs });
    for await (const { items } of pages) found.push(...items);
    return found;
  });
  return (await Promise.all(kept)).flat();
}

/**
 * Keeps what was summed. Of two who summed the same stretch the one who came further is kept, and what is summed whole
 * stays as it is: all that they counted is closed, so what they counted alike is the same. A repeat of a lost answer
 * finds its own. What is no sum is replaced, as it was found: it would stand in the way of every sum to come.
 */
export async function keepRollup(
  store: AccountStore,
  projectId: string,
  rollup: Rollup,
  usageRetentionDays: number,
): Promise<void> {
  const { length, startMs, tally, upTo } = rollup;
  // As long as the last event that it may have counted.
  const keptUntilMs =
    length.kind === 'PART' ? store.clock.now() + PART_RETENTION_MS : timeOf(upTo) + usageRetentionDays * MS_PER_DAY;
  const item: StoredRollup & { ttl: number } = {
    pk: rollupPartition(projectId),
    sk: sortKey(length, startMs),
    tally: tallyText(tally),
    upTo,
    ttl: Math.ceil(keptUntilMs / MS_PER_SECOND),
  };
  const put = (noSum?: StoredRollup) => {
    const seen = noSum && stillAs(noSum);
    const command = new PutCommand({
      TableName: store.tables.gateway,
      Item: item,
      ConditionExpression: `attribute_not_exists(#upTo) OR #upTo < :upTo${seen ? ` OR (${seen.expression})` : ''}`,
      ExpressionAttributeNames: { ...names('upTo'), ...seen?.names },
      ExpressionAttributeValues: { ':upTo': upTo, ...seen?.values },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    return unlessStale(store.client.send(command, callOptions(store)));
  };
  const other = await put();
  if (other && !sumOf(other)) await put(other);
}

/** Removes what is kept, unless it has changed since it was read. */
export async function removeRollup(store: AccountStore, kept: StoredRollup): Promise<void> {
  const { pk, sk } = kept;
  const { expression, names: aliases, values } = stillAs(kept);
  const command = new DeleteCommand({
    TableName: store.tables.gateway,
    Key: { pk, sk },
    ConditionExpression: expression,
    ExpressionAttributeNames: aliases,
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  });
  await unlessStale(store.client.send(command, callOptions(store)));
}

/** The condition that what is kept is as it was read. */
function stillAs({ tally, upTo }: StoredRollup) {
  const seen = Object.entries({ tally, upTo });
  const known = seen.filter(([, value]) => value !== undefined);
  return {
    expression: seen
      .map(([name, value]) => (value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :seen_${name}`))
      .join(' AND '),
    names: names('tally', 'upTo'),
    values: Object.fromEntries(known.map(([name, value]) => [`:seen_${name}`, value])),
  };
}

/** What stands there in place of what was to be written; undefined: it was, or nothing does. */
async function unlessStale(call: Promise<unknown>): Promise<StoredRollup | undefined> {
  try {
    await available(call);
    return undefined;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return error.Item && (unmarshall(error.Item) as StoredRollup);
  }
}
