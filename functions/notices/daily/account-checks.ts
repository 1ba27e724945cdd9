import { listOpenProjects, readProject } from '../../accounts/projects/stored-projects.ts';
import { readThresholds, type NoticeThresholds } from '../../accounts/team/notice-thresholds.ts';
import { periodAt } from '../../shared/rules/period.ts';
import { sendAgain } from '../send-again.ts';
import type { NoticesDependencies, TimeLeft } from '../dependencies.ts';
import { checkExpiries } from './expiring-keys.ts';
import { unlessUnreadable } from '../failures.ts';
import type { AccountsMessage, Place } from '../message.ts';
import { noteEnded } from './run-progress.ts';
import { checkQuota, capReached, requireNumber } from '../thresholds.ts';
import type { AccountStore } from '../../accounts/account-store.ts';
import { readActive, unexpired } from '../../accounts/tokens/active-tokens.ts';
import { isoTime, MS_PER_DAY } from '../../shared/rules/clock.ts';
import { markReached, type Reached } from '../markers.ts';
import { noticeItemKey } from '../../accounts/mail/notice-items.ts';
import { worksUntilMs, type StoredKey } from '../../accounts/keys/stored-keys.ts';
import { queryItems } from '../../shared/store/client.ts';
import { itemKey, names, readBatches } from '../../shared/store/items.ts';
import { readCapKey } from './cap-keys.ts';

/** An account's turn. After it the accounts of the message that wait come first. */
const TURN_MS = 20_000;
/** The message goes on later when less time is left. It is enough for a project without its caps. */
const LEAST_TIME_MS = 60_000;

/**
 * Checks accounts: the keys that will expire, and the thresholds. So a threshold whose record the stream has lost gets
 * its notice a day late. An account that does not end in its turn goes on where it was, after the others. Items that
 * cannot be read are skipped, logged and counted, and checked again on the next day.
 */
export async function onAccounts(
  dependencies: NoticesDependencies,
  message: AccountsMessage,
  timeLeft: TimeLeft,
): Promise<void> {
  const { store, telemetry } = dependencies;
  const { day, part } = message;
  let waiting = message.accountIds;
  let places = message.places ?? [];
  for (;;) {
    const [accountId, ...others] = waiting;
    if (accountId === undefined) break;
    const from = places.find((place) => place.accountId === accountId);
    const untilMs = store.clock.now() + TURN_MS;
    const isOver = (): boolean => timeLeft() < LEAST_TIME_MS || store.clock.now() >= untilMs;
    let stopped: Place | undefined;
    // If the store fails, the message comes again.
    await unlessUnreadable(telemetry, 'an account', { accountId }, async () => {
      stopped = await checkAccount(dependencies, accountId, from, isOver);
    });
    // Those of the others are kept: each of several large accounts goes on where it was.
    places = places.filter((place) => place !== from);
    if (stopped) {
      const next = { ...message, accountIds: [...others, accountId], places: [...places, stopped] };
      await sendAgain(dependencies, next, 0);
      return;
    }
    waiting = others;
    if (waiting.length > 0 && timeLeft() < LEAST_TIME_MS) {
      await sendAgain(dependencies, { ...message, accountIds: waiting, places }, 0);
      return;
    }
  }
  await noteEnded(store, day, part);
}

/** Checks an account from a place on. Returns where it stopped; undefined: it has ended. */
async function checkAccount(
  dependencies: NoticesDependencies,
  accountId: string,
  from: Place | undefined,
  isOver: () => boolean,
): Promise<Place | undefined> {
  const { store, quotaPeriod, telemetry } = dependencies;
  const { id: period } = periodAt(store.clock.now(), quotaPeriod);
  const thresholds = await readThresholds(store, accountId);
  if (!from) {
    await unlessUnreadable(telemetry, 'the tokens of an account', { accountId }, () =>
      checkTokens(store, accountId, thresholds.days),
    );
  }
  for await (const projectId of listOpenProjects(store, accountId)) {
    if (from && projectId < from.projectId) continue;
    const check = (what: string, run: () => Promise<void>) =>
      unlessUnreadable(telemetry, what, { accountId, projectId }, run);
    let after = from?.projectId === projectId ? from.capId : undefined;
    if (from?.projectId !== projectId) {
      await check('the keys of a project', () => checkExpiries(store, accountId, projectId, thresholds.days));
      await check('a counter', () => checkQuota(dependencies, projectId, period, thresholds));
    }
    await check('the caps of a project', async () => {
      for await (const counters of capCounters(store, projectId, period, after)) {
        await checkCaps(dependencies, { accountId, projectId, period }, counters, thresholds);
        after = counters.at(-1)?.capId;
        if (isOver()) return;
      }
    });
    if (isOver()) return { accountId, projectId, capId: after ?? '~' };
  }
  return undefined;
}

/**
 * Makes the notices of an account's management tokens that will expire, these days before. A token whose whole lifetime
 * is not longer than that number of days gets no notice, as a key.
 */
async function checkTokens(
  store: AccountStore,
  accountId: string,
  daysBefore: NoticeThresholds['days'],
): Promise<void> {
  const nowMs = store.clock.now();
  const tokens = (await readActive(store, accountId)) ?? {};
  for (const [tokenId, { expiresAtMs, createdAt }] of Object.entries(unexpired(tokens, nowMs))) {
    const lifetimeMs = expiresAtMs - Date.parse(createdAt);
    const reached = daysBefore.filter(
      (days) => expiresAtMs - nowMs <= days * MS_PER_DAY && lifetimeMs > days * MS_PER_DAY,
    );
    if (reached.length === 0) continue;
    const expiresAt = isoTime(expiresAtMs);
    await markReached(
      store,
      reached.map((days) => ({
        position: ['TOKEN-EXPIRY', tokenId, days].join('#'),
        type: 'token.expiring',
        accountId,
        tokenId,
        data: { expiresAt, days },
      })),
    );
  }
}

/** Counters that are checked together: three batches of reads. */
const BATCH_SIZE = 100;

/** The counter of a cap. */
interface CapCounter {
  readonly capId: string;
  readonly units: unknown;
}

/** The counters of a project's caps in a period, some at a time, after this one on. */
async function* capCounters(
  store: AccountStore,
  projectId: string,
  period: string,
  after = '',
): AsyncGenerator<CapCounter[]> {
  const { pk, sk: prefix } = itemKey.capUnits(projectId, period, '');
  const items = queryItems(store.client, {
    TableName: store.tables.gateway,
    KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :from AND :to',
    ExpressionAttributeNames: names('pk', 'sk'),
    // "!" sorts before every character of an id, and "~" after.
    ExpressionAttributeValues: { ':pk': pk, ':from': `${prefix}${after}!`, ':to': `${prefix}~` },
    ConsistentRead: true,
  });
  let some: CapCounter[] = [];
  for await (const { sk, units } of items) {
    some.push({ capId: (sk as string).slice(prefix.length), units });
    if (some.length < BATCH_SIZE) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

interface OfProject {
  readonly accountId: string;
  readonly projectId: string;
  readonly period: string;
}

/**
 * Puts markers for caps whose thresholds are reached, and not marked yet. The counters were read before the limits:
 * `checkCap`.
 */
async function checkCaps(
  { store, telemetry }: NoticesDependencies,
  { accountId, projectId, period }: OfProject,
  counters: readonly CapCounter[],
  { percents }: NoticeThresholds,
): Promise<void> {
  const used: { readonly capId: string; readonly units: number }[] = [];
  for (const { capId, units } of counters) {
    await unlessUnreadable(telemetry, 'a counter', { accountId, projectId, capId }, () => {
      if (requireNumber(units ?? 0) > 0) used.push({ capId, units: units as number });
      return Promise.resolve();
    });
  }
  if (used.length === 0) return;
  const keys = await readKeys(
    store,
    { accountId, projectId },
    used.map(({ capId }) => capId),
  );
  const reached: (readonly Reached[])[] = [];
  for (const [i, { capId, units }] of used.entries()) {
    await unlessUnreadable(telemetry, 'a key', { accountId, projectId, capId }, async () => {
      const found = keys[i];
      const key = found === 'search' ? await readCapKey(store, { accountId, projectId, capId }) : found;
      const some = key ? capReached({ accountId, projectId, period, capId }, key, units, percents) : [];
      if (some.length > 0) reached.push(some);
    });
  }
  // The highest was put last, so the others are there too.
  const markers = await readBatches(
    store,
    reached.map((some) => noticeItemKey.marker(accountId, some.at(-1)?.position ?? '')),
  );
  const fresh = reached.filter((_some, i) => markers[i] === undefined);
  if (fresh.length === 0 || (await readProject(store, projectId)).status === 'closed') return;
  for (const some of fresh) await markReached(store, some);
}

/**
 * The keys that spend from caps, in three batches. Undefined: none works any more. `search`: that takes a search, as
 * after a rotation.
 */
async function readKeys(
  store: AccountStore,
  { accountId, projectId }: Pick<OfProject, 'accountId' | 'projectId'>,
  capIds: readonly string[],
): Promise<(StoredKey | 'search' | undefined)[]> {
  const lasts = (await readBatches(
    store,
    capIds.map((capId) => noticeItemKey.capKey(accountId, capId)),
  )) as ({ readonly keyId?: string } | undefined)[];
  const references = (await readBatches(
    store,
    capIds.map((capId, i) => itemKey.keyReference(projectId, lasts[i]?.keyId ?? capId)),
  )) as ({ readonly keyHash: string } | undefined)[];
  const hashes = references.flatMap((reference) => (reference ? [reference.keyHash] : []));
  const keys = (await readBatches(store, hashes.map(itemKey.apiKey))) as (StoredKey | undefined)[];
  const byHash = new Map(hashes.map((hash, i) => [hash, keys[i]]));
  return references.map((reference) => {
    const key = reference && byHash.get(reference.keyHash);
    if (!key) return 'search';
    if (store.clock.now() < worksUntilMs(key)) return key;
    return key.replacedBy === undefined && key.replaces === undefined ? undefined : 'search';
  });
}
