import { REPORT_ACTOR } from '../authority/audit.ts';
import { hasKeyTag, parseApiKey } from '../../shared/credentials/api-key.ts';
import { SANDBOX_MODE } from '../../shared/credentials/credential-text.ts';
import { isoTime, MS_PER_DAY, MS_PER_MINUTE, MS_PER_SECOND, ttlAt } from '../../shared/time.ts';
import { LEAST_LEFT_MS } from '../../shared/store/client.ts';
import { itemKey } from '../../shared/store/items.ts';
import { readBatches, readItem } from '../../shared/store/tables.ts';
import { accountItemKey } from '../store/account-items.ts';
import type { AccountStore, Change } from '../store/account-store.ts';
import { putUnlessStale } from '../store/writes.ts';
import { counted } from '../store/counters.ts';
import { instanceMemory } from '../store/instance-memory.ts';
import { noticeItemKey } from '../store/notice-items.ts';
import { RefusedError } from '../store/refusals.ts';
import { editKey } from './api-keys.ts';
import { foundAtOf } from './found-at.ts';
import { releaseActivePlace } from './key-predecessors.ts';
import { worksUntilMs, type StoredKey } from './stored-keys.ts';

/** What happens to a test key that was found in public. The owners are told in both cases. */
export const LEAKED_KEYS = ['revoke', 'notify'] as const;
export type LeakedKeys = (typeof LEAKED_KEYS)[number];

/** A text that somebody has found in public, and where. */
export interface FoundKey {
  readonly token: string;
  /** Untrusted. */
  readonly url?: string | undefined;
}

/** A key that was found, by its public ids. */
interface LeakedKey extends Pick<StoredKey, 'projectId' | 'keyId'> {
  readonly accountId: string;
  readonly foundAt?: string | undefined;
}

/** Keys of a report that are left for the notices function, as stored. Nothing of it is secret. */
interface LeftKeys {
  readonly keys: readonly LeakedKey[];
  readonly leakedKeys: LeakedKeys;
  readonly ttl: number;
}

/** Keys that end within a request; the most at the same time; and the most of an account in a UTC minute. */
const MAX_AT_ONCE = 100;
const MAX_IN_FLIGHT = 10;
const MAX_PER_MINUTE = 20;
/** Keys of one stored rest: the work of one message. */
const LEFT_TOGETHER = 100;
const LEFT_KEPT_MS = 7 * MS_PER_DAY;

/** Reported keys that an instance remembers. A second report of a key changes nothing, so it costs nothing. */
const MAX_KNOWN = 10_000;
const handledOf = instanceMemory(MAX_KNOWN);

/**
 * Ends the keys of a report, or only notes it: then owners get the notice `key.leaked`. Whoever has a whole key may end
 * it, so no session is asked for. Texts that are no keys of this stage cost no I/O, all others a read in batches. A key
 * that has ended, or was reported before, stays as it is. A live key is never ended: it is not for the sandbox.
 *
 * What is more than a request or an account's minute takes is stored, and the stream passes it to the notices function
 * ({@link endLeftKeys}). Rejects when something was neither ended nor stored: the report can be sent again.
 */
export async function reportLeakedKeys(
  store: AccountStore,
  found: readonly FoundKey[],
  leakedKeys: LeakedKeys,
): Promise<void> {
  const own = ofReport(store);
  const secrets = await store.keyTagSecrets();
  const known = handledOf(store);
  const foundBy = new Map<string, FoundKey>();
  for (const one of found) {
    const key = parseApiKey(one.token);
    if (key && hasKeyTag(one.token, secrets) && !known.has(key.hash)) foundBy.set(key.hash, one);
  }
  if (foundBy.size === 0) return;
  const hashes = [...foundBy.keys()];
  const stored = await readBatches<StoredKey>(own, hashes.map(itemKey.apiKey));
  const nowMs = store.clock.now();
  const toTell = [...foundBy.values()].flatMap(({ token, url }, i) => {
    const key = stored[i];
    if (!key || !isToTell(key, nowMs)) return [];
    const foundAt = foundAtOf(url, token);
    return [{ projectId: key.projectId, keyId: key.keyId, ...(foundAt !== undefined && { foundAt }) }];
  });
  const projectIds = [...new Set(toTell.map(({ projectId }) => projectId))];
  const projects = await readBatches<{ readonly accountId: string }>(own, projectIds.map(itemKey.project));
  const accountOf = new Map(projectIds.map((projectId, i) => [projectId, projects[i]?.accountId ?? '']));
  const keys = toTell.map((key) => ({ ...key, accountId: accountOf.get(key.projectId) ?? '' }));
  const { left } = await endKeys(own, keys.slice(0, MAX_AT_ONCE), leakedKeys, { isRequest: true });
  await leaveKeys(own, [...left, ...keys.slice(MAX_AT_ONCE)], leakedKeys);
  for (const hash of hashes) known.add(hash);
}

/**
 * Ends the keys that a report has left, by the sort key of their item. Those that have ended already stay as they are,
 * so it may run twice. Rejects when one could not be ended, after it has tried all others.
 */
export async function endLeftKeys(store: AccountStore, sk: string): Promise<void> {
  const left = await readItem<LeftKeys>(store, noticeItemKey.leftKeys(sk));
  if (!left) return;
  const { failure } = await endKeys(ofReport(store), left.keys, left.leakedKeys, { isRequest: false });
  if (failure) throw failure.reason;
}

const ofReport = (store: AccountStore): AccountStore => ({ ...store, actor: () => Promise.resolve(REPORT_ACTOR) });

const isToTell = (key: StoredKey, nowMs: number): boolean => key.leakedAt === undefined && nowMs < worksUntilMs(key);

/**
 * Ends keys, those of an account one after the other, since they share counts. A request counts them in the minute of
 * their account. It leaves an account at the first key that does not end, and begins none without time to store it.
 */
async function endKeys(
  store: AccountStore,
  keys: readonly LeakedKey[],
  leakedKeys: LeakedKeys,
  { isRequest }: { readonly isRequest: boolean },
): Promise<{ readonly left: readonly LeakedKey[]; readonly failure: { readonly reason: unknown } | undefined }> {
  const accounts = [...Map.groupBy(keys, ({ accountId }) => accountId).values()];
  const left: LeakedKey[] = [];
  let failure: { readonly reason: unknown } | undefined;
  const work = async (): Promise<void> => {
    for (let ofAccount = accounts.shift(); ofAccount; ofAccount = accounts.shift()) {
      for (const [i, key] of ofAccount.entries()) {
        try {
          if (isRequest && (store.deadline?.leftMs() ?? Infinity) < LEAST_LEFT_MS) throw new Error('no time is left');
          await noteLeak(store, key, leakedKeys, isRequest);
        } catch (reason) {
          failure ??= { reason };
          left.push(...ofAccount.slice(i, isRequest ? undefined : i + 1));
          if (isRequest) break;
        }
      }
    }
  };
  await Promise.all(Array.from({ length: MAX_IN_FLIGHT }, work));
  return { left, failure };
}

async function noteLeak(
  store: AccountStore,
  { accountId, projectId, keyId, foundAt }: LeakedKey,
  leakedKeys: LeakedKeys,
  isCounted: boolean,
): Promise<void> {
  const isEnded = (key: StoredKey): boolean => leakedKeys === 'revoke' && key.mode === SANDBOX_MODE;
  try {
    await editKey(store, projectId, keyId, {
      action: 'key.report',
      decide: (key) => {
        const nowMs = store.clock.now();
        if (!isToTell(key, nowMs)) return {};
        const at = isoTime(nowMs);
        return { leakedAt: at, foundAt, ...(isEnded(key) && { status: 'revoked', revokedAt: at }) };
      },
      alsoWrites: async (key, _after, of) => [
        ...(isEnded(key) ? await releaseActivePlace(store, of, key) : []),
        ...(isCounted ? [countedReport(store, accountId)] : []),
      ],
    });
  } catch (error) {
    // It was deleted meanwhile.
    if (!(error instanceof RefusedError) || error.code !== 'NOT_FOUND') throw error;
  }
}

/** Counts a key in the minute of its account, as a part of its change. */
function countedReport(store: AccountStore, accountId: string): Change {
  const startMs = Math.floor(store.clock.now() / MS_PER_MINUTE) * MS_PER_MINUTE;
  const counter = {
    key: accountItemKey.reported(accountId, isoTime(startMs)),
    limit: MAX_PER_MINUTE,
    endEpochSeconds: (startMs + MS_PER_MINUTE) / MS_PER_SECOND,
  };
  return counted(
    store,
    counter,
    () => new RefusedError('The account’s minute is full.', { code: 'TOO_MANY_REQUESTS' }),
  );
}

/** Stores keys for the notices function. */
async function leaveKeys(store: AccountStore, keys: readonly LeakedKey[], leakedKeys: LeakedKeys): Promise<void> {
  const nowMs = store.clock.now();
  const parts = Array.from({ length: Math.ceil(keys.length / LEFT_TOGETHER) }, (_, i) =>
    keys.slice(i * LEFT_TOGETHER, (i + 1) * LEFT_TOGETHER),
  );
  const put = (part: readonly LeakedKey[]) => {
    const left: LeftKeys = { keys: part, leakedKeys, ttl: ttlAt(nowMs + LEFT_KEPT_MS) };
    return putUnlessStale(store, { ...noticeItemKey.newLeftKeys(`${isoTime(nowMs)}#${store.newId()}`), ...left });
  };
  await Promise.all(parts.map(put));
}
