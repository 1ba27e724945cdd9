import { locateKey } from '../../accounts/keys/stored-keys.ts';
import { noticeItemKey } from '../../accounts/store/notice-items.ts';
import { readThresholds } from '../../accounts/team/notice-thresholds.ts';
import { readActive } from '../../accounts/tokens/active-tokens.ts';
import type { AccountStore, StoredItem } from '../../accounts/store/account-store.ts';
import { dayOf, isoTime, MS_PER_DAY } from '../../shared/time.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { queryItems } from '../../shared/store/client.ts';
import type { ItemKey } from '../../shared/store/items.ts';
import { queryOf } from '../../shared/store/tables.ts';
import type { NoticesDependencies, TimeLeft } from '../dependencies.ts';
import { unlessUnreadable } from '../failures.ts';
import { markReached } from '../markers.ts';
import type { ExpiringMessage } from '../message.ts';
import { sendAgain } from '../send-again.ts';
import { readOpenProject } from '../thresholds.ts';
import { noteEnded } from './run-progress.ts';

/** The message goes on later when less time is left. */
const LEAST_TIME_MS = 30_000;

/**
 * Makes the notices of what ends on a day, in one of its partitions. What cannot be read is skipped, logged and
 * counted.
 */
export async function onExpiring(
  dependencies: NoticesDependencies,
  message: ExpiringMessage,
  timeLeft: TimeLeft,
): Promise<void> {
  const { store, telemetry } = dependencies;
  const { day, ends, shard, after = '' } = message;
  // Of the version before: a part of its walk over all accounts.
  if (ends === undefined) return;
  const { pk } = noticeItemKey.expiring(ends, shard, '');
  // "!" sorts before every character of an id, and "~" after.
  const query = queryOf(store.tables.gateway, pk, { since: `${after}!`, until: '~' });
  const items = queryItems<ItemKey & StoredItem>(store.client, query);
  for await (const { sk, projectId } of items) {
    await unlessUnreadable(telemetry, 'what ends', { pk, sk }, () => checkEnd(store, message, sk, projectId));
    if (timeLeft() < LEAST_TIME_MS) {
      await sendAgain(dependencies, { ...message, after: sk }, 0);
      return;
    }
  }
  await noteEnded(store, day, message.source.sk);
}

/**
 * Tells that a key or a token will end, these days before: each number of days whose day lies between `since` and the
 * day of the run, the most first. What was made for no longer than that number of days gets no notice, because its
 * creator knows its end.
 */
async function checkEnd(
  store: AccountStore,
  { day, since, ends }: ExpiringMessage,
  sk: string,
  projectId: unknown,
): Promise<void> {
  const [accountId = '', id = ''] = sk.split('#');
  const ofKey = typeof projectId === 'string' ? projectId : undefined;
  const found = ofKey === undefined ? await readToken(store, accountId, id) : await readKey(store, ofKey, id);
  // What has another end has an item of that day.
  if (!found || found.expiresAtMs <= store.clock.now() || dayOf(found.expiresAtMs) !== ends) return;
  const { expiresAtMs, createdAt } = found;
  const madeForMs = expiresAtMs - Date.parse(createdAt);
  const reached = (await readThresholds(store, accountId)).days.filter((days) => {
    const toldOn = dayOf(Date.parse(ends) - days * MS_PER_DAY);
    return since <= toldOn && toldOn <= day && madeForMs > days * MS_PER_DAY;
  });
  const expiresAt = isoTime(expiresAtMs);
  const [place, what] =
    ofKey === undefined
      ? [`TOKEN-EXPIRY#${id}`, { type: 'token.expiring', tokenId: id } as const]
      : [`EXPIRY#${id}#${expiresAt}`, { type: 'key.expiring', projectId: ofKey, keyId: id } as const];
  await markReached(
    store,
    reached.map((days) => ({ ...what, position: `${place}#${days}`, accountId, data: { expiresAt, days } })),
  );
}

interface End {
  readonly expiresAtMs: number;
  readonly createdAt: string;
}

const readToken = async (store: AccountStore, accountId: string, tokenId: string): Promise<End | undefined> =>
  (await readActive(store, accountId))?.[tokenId];

/** A key of an open project that works. A replaced one counts if its successor was revoked: it has its place. */
async function readKey(store: AccountStore, projectId: string, keyId: string): Promise<End | undefined> {
  const [key, project] = await allFulfilled([locateKey(store, projectId, keyId), readOpenProject(store, projectId)]);
  if (!project || key?.status !== 'active' || key.expiresAtMs === undefined) return undefined;
  const { expiresAtMs, createdAt, replacedBy } = key;
  const successor = replacedBy === undefined ? undefined : await locateKey(store, projectId, replacedBy);
  if (replacedBy !== undefined && successor?.status !== 'revoked') return undefined;
  return { expiresAtMs, createdAt };
}
