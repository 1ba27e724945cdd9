import { readCapKey } from './daily/cap-keys.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { noticeItemKey } from '../accounts/mail/notice-items.ts';
import type { StoredKey } from '../accounts/keys/stored-keys.ts';
import { readQuotaUsed, type StoredProject } from '../accounts/projects/stored-projects.ts';
import { MS_PER_DAY, MS_PER_SECOND } from '../shared/rules/clock.ts';
import { periodOf } from '../shared/rules/period.ts';
import { itemKey, readItem } from '../shared/store/items.ts';
import type { CounterItem } from '../shared/store/quota-counter.ts';
import type { NoticesDependencies } from './dependencies.ts';
import { markReached, type Reached } from './markers.ts';
import type { Notice } from './notice.ts';

/** The thresholds of a project's quota, in percent, the lowest first. */
const QUOTA_PERCENT = [80, 100] as const;
const ALL_PERCENT = 100;

/**
 * Puts markers for the thresholds that a project has reached in a period. The used units are read before the limit.
 * They only rise. So at the time of the second read at least this share of the limit is used, even if the limit was
 * changed in between.
 */
export async function checkQuota(dependencies: NoticesDependencies, projectId: string, period: string): Promise<void> {
  const { store } = dependencies;
  if (!hasNotices(dependencies, period)) return;
  const units = requireNumber(await readQuotaUsed(store, projectId, period));
  const project = await readOpenProject(store, projectId);
  if (!project?.quotaLimit) return;
  const { accountId, quotaLimit: unitsLimit } = project;
  const reached = QUOTA_PERCENT.filter((percent) => units * ALL_PERCENT >= percent * unitsLimit);
  await markReached(
    store,
    reached.map((thresholdPercent) => ({
      position: quotaPosition({ period, projectId, thresholdPercent, unitsLimit }),
      type: 'quota.threshold_reached',
      accountId,
      projectId,
      data: { thresholdPercent, units, unitsLimit, period },
    })),
  );
}

type QuotaThreshold = Readonly<Record<'period' | 'projectId' | 'thresholdPercent' | 'unitsLimit', unknown>>;
const quotaPosition = ({ period, projectId, thresholdPercent, unitsLimit }: QuotaThreshold): string =>
  ['QUOTA', period, projectId, thresholdPercent, unitsLimit].join('#');

/**
 * Whether this is a notice of a lower threshold and the quota is used up by now. Then the notice of the higher
 * threshold is enough.
 */
export async function isSuperseded(
  store: AccountStore,
  { type, accountId, projectId, data }: Notice,
): Promise<boolean> {
  if (type !== 'quota.threshold_reached' || data.thresholdPercent === ALL_PERCENT) return false;
  const { period, unitsLimit } = data;
  const usedUp = quotaPosition({ period, projectId, thresholdPercent: ALL_PERCENT, unitsLimit });
  return (await readItem(store, noticeItemKey.marker(accountId, usedUp))) !== undefined;
}

/** Puts a marker when a key's cap is used up. The order of the reads is the same. */
export async function checkCap(
  dependencies: NoticesDependencies,
  projectId: string,
  period: string,
  capId: string,
): Promise<void> {
  const { store } = dependencies;
  if (!hasNotices(dependencies, period)) return;
  const counter = await readItem<CounterItem>(store, itemKey.capUnits(projectId, period, capId));
  const units = requireNumber(counter?.units ?? 0);
  if (units === 0) return;
  const project = await readOpenProject(store, projectId);
  if (!project) return;
  const key = await readCapKey(store, { accountId: project.accountId, projectId, capId });
  const reached = key && capReached({ accountId: project.accountId, projectId, period, capId }, key, units);
  if (reached) await markReached(store, [reached]);
}

/** The threshold of a cap whose key has spent all of it; undefined: it has not. */
export function capReached(
  { accountId, projectId, period, capId }: Readonly<Record<'accountId' | 'projectId' | 'period' | 'capId', string>>,
  { keyId, unitsLimit }: Pick<StoredKey, 'keyId' | 'unitsLimit'>,
  units: number,
): Reached | undefined {
  if (unitsLimit === undefined || units < unitsLimit) return undefined;
  return {
    position: ['CAP', period, capId, unitsLimit].join('#'),
    type: 'key.cap_reached',
    accountId,
    projectId,
    keyId,
    data: { thresholdPercent: ALL_PERCENT, units, unitsLimit, period },
  };
}

/**
 * Whether a period gets notices: it has not ended, or it ended less than a day ago, since the stream may be a day late.
 * Only a repair changes the counters of older periods.
 */
function hasNotices({ store, quotaPeriod }: NoticesDependencies, id: string): boolean {
  const period = periodOf(id, quotaPeriod);
  return period !== undefined && store.clock.now() < period.endsAtEpochSeconds * MS_PER_SECOND + MS_PER_DAY;
}

/** Throws if a counter is not a number, for example after a manual change: its notice would be invalid. */
export function requireNumber(units: unknown): number {
  if (typeof units !== 'number' || !Number.isFinite(units)) throw new TypeError('a counter is no number');
  return units;
}

async function readOpenProject(store: AccountStore, projectId: string): Promise<StoredProject | undefined> {
  const project = await readItem<StoredProject>(store, itemKey.project(projectId));
  return project?.status === 'closed' ? undefined : project;
}
