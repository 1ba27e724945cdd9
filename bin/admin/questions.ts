import { isoTime, MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE, periodAt } from '../../functions/shared/time.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { keyView, readKey, requireUsable, type LocatedKey } from '../../functions/accounts/keys/stored-keys.ts';
import { listKeys } from '../../functions/accounts/keys/key-pages.ts';
import { readProject, readQuotaUsed, type StoredProject } from '../../functions/accounts/projects/stored-projects.ts';
import type { Deployment } from './deployment.ts';
import { escaped } from '../cli/text.ts';

/** A key that a question is about. */
export interface KeyInQuestion {
  readonly key: LocatedKey;
  /** `"CI" (…D23V, last used 2 min ago) of project "Demo" in PROD`. */
  readonly words: string;
}

/**
 * Reads the key that a command would end, for the question. Throws `RefusedError` for an unknown key, and for one that
 * has ended.
 */
export async function keyInQuestion(
  store: AccountStore,
  { place }: Deployment,
  { project: projectId, key: keyId }: { readonly project: string; readonly key: string },
): Promise<KeyInQuestion> {
  const [key, project] = await Promise.all([readKey(store, projectId, keyId), readProject(store, projectId)]);
  const nowMs = store.clock.now();
  requireUsable(key, nowMs);
  const { name, lastFour, lastUsed } = keyView(key, nowMs);
  const use = useInWords(lastUsed === null ? undefined : Date.parse(lastUsed), nowMs);
  const words = `${name === null ? `key ${keyId}` : quoted(name)} (…${lastFour}, ${use}) of project ${quoted(project.name)} ${place}`;
  return { key, words };
}

/** A project that a question is about. */
export interface ProjectInQuestion {
  readonly status: StoredProject['status'];
  /** Units of the current period, and its id. */
  readonly used: number;
  readonly periodId: string;
  /** The latest use of its keys: `last used 2 h ago`. */
  readonly use: string;
  /** `project "Demo" in PROD`. */
  readonly words: string;
}

/** Reads the project that a command would change, for the question. Throws `RefusedError` for an unknown project. */
export async function projectInQuestion(
  store: AccountStore,
  { place, quotaPeriod }: Deployment,
  projectId: string,
): Promise<ProjectInQuestion> {
  const nowMs = store.clock.now();
  const { id: periodId } = periodAt(nowMs, quotaPeriod());
  const [{ name, status }, used, keys] = await Promise.all([
    readProject(store, projectId),
    readQuotaUsed(store, projectId, periodId),
    Array.fromAsync(listKeys(store, projectId)),
  ]);
  const last = Math.max(...keys.map(({ window = -Infinity }) => window * MS_PER_MINUTE));
  const use = useInWords(Number.isFinite(last) ? last : undefined, nowMs);
  return { status, used, periodId, use, words: `project ${quoted(name)} ${place}` };
}

/** A name in a question, with invisible characters escaped. */
export const quoted = (name: string): string => `"${escaped(name)}"`;

/** A number with commas between the thousands. */
export const grouped = (count: number): string => count.toLocaleString('en-GB');

/** The last use in a question; undefined: there was none. */
export const useInWords = (lastMs: number | undefined, nowMs: number): string =>
  lastMs === undefined ? 'never used' : `last used ${ago(nowMs - lastMs)}`;

/** How long ago something was, in the largest unit. A key's use is exact to the minute. */
function ago(ms: number): string {
  if (ms < 2 * MS_PER_MINUTE) return 'within the last 2 min';
  if (ms < 2 * MS_PER_HOUR) return `${Math.floor(ms / MS_PER_MINUTE)} min ago`;
  if (ms < 2 * MS_PER_DAY) return `${Math.floor(ms / MS_PER_HOUR)} h ago`;
  return `${Math.floor(ms / MS_PER_DAY)} days ago`;
}

/** A moment in a question, to the minute: `2026-11-21 08:30 UTC`. */
export const momentInWords = (epochMs: number): string =>
  `${isoTime(epochMs).slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')} UTC`;
