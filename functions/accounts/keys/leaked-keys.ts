import { hasKeyTag, parseApiKey } from '../../shared/rules/credentials/api-key.ts';
import { SANDBOX_MODE } from '../../shared/rules/credentials/credential-text.ts';
import { isoTime } from '../../shared/rules/clock.ts';
import { itemKey } from '../../shared/store/items.ts';
import { readTogether } from '../../shared/store/tables.ts';
import type { AccountStore } from '../account-store.ts';
import { instanceMemory } from '../instance-memory.ts';
import { RefusedError } from '../refusals.ts';
import { editKey } from './api-keys.ts';
import { releaseActivePlace } from './key-predecessors.ts';
import { worksUntilMs, type StoredKey } from './stored-keys.ts';

/** The actor of what a report changes, in the audit. */
export const REPORT_ACTOR = 'report';
/** What happens to a test key that was found in public. The owners are told in both cases. */
export const LEAKED_KEYS = ['revoke', 'notify'] as const;
export type LeakedKeys = (typeof LEAKED_KEYS)[number];

/** A text that somebody has found in public, and where. */
export interface FoundKey {
  readonly token: string;
  /** Untrusted. */
  readonly url?: string | undefined;
}

/** Reported keys that an instance remembers. A second report of a key changes nothing, so it costs nothing. */
const MAX_KNOWN = 10_000;
const handledOf = instanceMemory(MAX_KNOWN);

/**
 * Ends the keys of a report, or only notes it: then owners get the notice `key.leaked`. Whoever has a whole key may end
 * it, so no session is asked for. Texts that are no keys of this stage cost no I/O, all others one read together. A key
 * that has ended, or was reported before, stays as it is. A live key is never ended: it is not for the sandbox.
 */
export async function reportLeakedKeys(
  store: AccountStore,
  found: readonly FoundKey[],
  leakedKeys: LeakedKeys,
): Promise<void> {
  const own: AccountStore = { ...store, actor: () => Promise.resolve(REPORT_ACTOR) };
  const secrets = await store.keyTagSecrets();
  const known = handledOf(store);
  const urls = new Map<string, string | undefined>();
  for (const { token, url } of found) {
    const key = parseApiKey(token);
    if (key && hasKeyTag(token, secrets) && !known.has(key.hash)) urls.set(key.hash, url);
  }
  if (urls.size === 0) return;
  const hashes = [...urls.keys()];
  const stored = await readTogether<StoredKey>(own, hashes.map(itemKey.apiKey));
  for (const [i, hash] of hashes.entries()) {
    const key = stored[i];
    if (key && isToTell(key, store.clock.now())) await noteLeak(own, key, urls.get(hash), leakedKeys);
    known.add(hash);
  }
}

const isToTell = (key: StoredKey, nowMs: number): boolean => key.leakedAt === undefined && nowMs < worksUntilMs(key);

async function noteLeak(
  store: AccountStore,
  { projectId, keyId, mode }: StoredKey,
  foundAt: string | undefined,
  leakedKeys: LeakedKeys,
): Promise<void> {
  const isEnded = leakedKeys === 'revoke' && mode === SANDBOX_MODE;
  try {
    await editKey(store, projectId, keyId, {
      action: 'key.report',
      decide: (key) => {
        const nowMs = store.clock.now();
        if (!isToTell(key, nowMs)) return {};
        const at = isoTime(nowMs);
        return { leakedAt: at, foundAt, ...(isEnded && { status: 'revoked', revokedAt: at }) };
      },
      alsoWrites: (key) => (isEnded ? releaseActivePlace(store, key) : []),
    });
  } catch (error) {
    // It was deleted meanwhile.
    if (!(error instanceof RefusedError) || error.code !== 'NOT_FOUND') throw error;
  }
}
