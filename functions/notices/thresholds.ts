import { readCapKey } from './cap-keys.ts';
import type { AccountStore } from '../accounts/store/account-store.ts';
import { MARK_PREFIX, noticeItemKey } from '../accounts/store/notice-items.ts';
import { readThresholds, type NoticeThresholds } from '../accounts/team/notice-thresholds.ts';
import { readQuotaUsed, type StoredProject } from '../accounts/projects/stored-projects.ts';
import { MAX_PERCENT } from '../shared/choices.ts';
import { capOf } from '../shared/request/admission.ts';
import { CAP_PERIODS, capSpanAt, spanAt } from '../shared/request/cap-period.ts';
import { MS_PER_DAY, MS_PER_SECOND, periodAt, periodOf } from '../shared/time.ts';
import { itemKey, type ItemKey } from '../shared/store/items.ts';
import { itemsFrom, readItem, readTogether } from '../shared/store/tables.ts';
import type { CounterItem } from '../shared/store/quota-counter.ts';
import type { NoticesDependencies } from './dependencies.ts';
import { unlessUnreadable } from './failures.ts';
import { markReached, type Reached } from './markers.ts';
import type { Notice, NoticeSource } from './notice.ts';

type Checked = Pick<NoticesDependencies, 'store' | 'quotaPeriod'>;

/**
 * Looks at the quota of a project and at all its caps, for what the stream has lost. What cannot be read is skipped and
 * reported.
 */
export async function checkProject(
  { telemetry, ...of }: Checked & Pick<NoticesDependencies, 'telemetry'>,
  projectId: string,
): Promise<void> {
  const { store, quotaPeriod } = of;
  const { id: period } = periodAt(store.clock.now(), quotaPeriod);
  const look = (sk: string, check: () => Promise<void>) =>
    unlessUnreadable(telemetry, 'a counter', { projectId, sk }, check);
  await look(itemKey.quota(projectId, period).sk, () => checkQuota(of, projectId, period));
  for (const capPeriod of CAP_PERIODS) {
    const { id: span } = spanAt(store.clock.now(), capPeriod);
    const caps = itemKey.capUnits(projectId, span, '');
    for await (const { sk } of itemsFrom<ItemKey>(store, caps))
      await look(sk, () => checkCap(of, projectId, span, sk.slice(caps.sk.length)));
  }
}

/**
 * Puts markers for the thresholds that a project has reached in a period. The used units are read before the limit.
 * They only rise. So at the time of the second read at least this share of the limit is used, even if the limit was
 * changed in between.
 */
export async function checkQuota(dependencies: Checked, projectId: string, period: string): Promise<void> {
  const { store } = dependencies;
  if (!hasNotices(dependencies, period)) return;
  const units = requireNumber(await readQuotaUsed(store, projectId, period));
  const project = await readOpenProject(store, projectId);
  if (!project?.quotaLimit) return;
  const { accountId, quotaLimit: unitsLimit } = project;
  const { percents } = await readThresholds(store, accountId);
  await markReached(
    store,
    reachedOf(percents, { units, unitsLimit, period }).map(({ thresholdPercent, ...used }) => ({
      position: ['QUOTA', period, projectId, thresholdPercent, unitsLimit].join('#'),
      type: 'quota.threshold_reached',
      accountId,
      projectId,
      data: { thresholdPercent, ...used },
    })),
  );
}

/** What was used of a quota or a cap in a period. */
interface Used {
  readonly units: number;
  readonly unitsLimit: number;
  readonly period: string;
}

/** The thresholds that these units have reached, the lowest first. */
const reachedOf = (percents: NoticeThresholds['percents'], used: Used) =>
  percents
    .filter((percent) => used.units * MAX_PERCENT >= percent * used.unitsLimit)
    .map((thresholdPercent) => ({ thresholdPercent, ...used }));

/**
 * Whether this is a notice of a lower threshold, and a higher one was reached meanwhile. Then that one's notice is
 * enough.
 */
export async function isSuperseded(
  store: AccountStore,
  { accountId, data: { thresholdPercent } }: Notice,
  { sk }: NoticeSource,
): Promise<boolean> {
  if (typeof thresholdPercent !== 'number' || thresholdPercent === MAX_PERCENT) return false;
  const { percents } = await readThresholds(store, accountId);
  const position = sk.slice(MARK_PREFIX.length).split('#');
  const higher = percents.filter((percent) => percent > thresholdPercent);
  const markers = await readTogether(
    store,
    higher.map((percent) => noticeItemKey.marker(accountId, position.with(PERCENT_PART, String(percent)).join('#'))),
  );
  return markers.some((marker) => marker !== undefined);
}

/** The period of a cap that never begins again. */
const ONCE = 'once';
/** In the position of a marker: `QUOTA#<period>#<project>#<percent>#<limit>`, and the same of a cap. */
const PERCENT_PART = 3;

/**
 * Puts markers for the thresholds of a cap in one period of it, such as `2026-W47`. The order of the reads is the same,
 * but a budget has its limit on its counter.
 */
export async function checkCap(dependencies: Checked, projectId: string, period: string, capId: string): Promise<void> {
  const { store } = dependencies;
  if (!hasCapNotices(dependencies, period, capId)) return;
  const counter = await readItem<CounterItem>(store, itemKey.capUnits(projectId, period, capId));
  const units = requireNumber(counter?.units ?? 0);
  if (units === 0) return;
  const project = await readOpenProject(store, projectId);
  if (!project) return;
  const sharedLimit = period === ONCE ? counter?.limit : undefined;
  const isShared = sharedLimit !== undefined;
  const key = await readCapKey(store, { accountId: project.accountId, projectId, capId, isShared });
  const cap = key && capOf(key);
  // The key may count by another period by now, and this was its counter before.
  if (!cap || cap.id !== capId) return;
  const { percents } = await readThresholds(store, project.accountId);
  await markReached(
    store,
    capReached(
      { accountId: project.accountId, projectId, period, capId },
      { keyId: key.keyId, unitsLimit: sharedLimit ?? cap.limit },
      units,
      percents,
    ),
  );
}

/** The thresholds of a cap that its key has reached, the lowest first. */
function capReached(
  { accountId, projectId, period, capId }: Readonly<Record<'accountId' | 'projectId' | 'period' | 'capId', string>>,
  { keyId, unitsLimit }: { readonly keyId: string; readonly unitsLimit: number },
  units: number,
  percents: NoticeThresholds['percents'],
): Reached[] {
  // Who sets 0 means it.
  if (unitsLimit === 0) return [];
  return reachedOf(percents, { units, unitsLimit, period }).map(({ thresholdPercent, ...used }) => ({
    position: ['CAP', period, capId, thresholdPercent, unitsLimit].join('#'),
    type: 'key.cap_reached',
    accountId,
    projectId,
    keyId,
    data: { thresholdPercent, ...used },
    ...(period === ONCE && { isKept: true }),
  }));
}

/**
 * Whether a period gets notices: it has not ended, or it ended less than a day ago, since the stream may be a day late.
 * Only a repair changes the counters of older periods.
 */
function hasNotices({ store, quotaPeriod }: Checked, id: string): boolean {
  const period = periodOf(id, quotaPeriod);
  return period !== undefined && store.clock.now() < period.endsAtEpochSeconds * MS_PER_SECOND + MS_PER_DAY;
}

/** The same of a period of a cap. The clock that counted may lead a little. */
function hasCapNotices({ store, quotaPeriod }: Checked, period: string, capId: string): boolean {
  const nowMs = store.clock.now();
  return [nowMs - MS_PER_DAY, nowMs, nowMs + MS_PER_DAY].some(
    (atMs) => capSpanAt(atMs, capId, quotaPeriod).id === period,
  );
}

/** Throws if a counter is not a number, for example after a manual change: its notice would be invalid. */
function requireNumber(units: unknown): number {
  if (typeof units !== 'number' || !Number.isFinite(units)) throw new TypeError('a counter is no number');
  return units;
}

/** A project; undefined: it is closed, or does not exist. */
export async function readOpenProject(store: AccountStore, projectId: string): Promise<StoredProject | undefined> {
  const project = await readItem<StoredProject>(store, itemKey.project(projectId));
  return project?.status === 'closed' ? undefined : project;
}
