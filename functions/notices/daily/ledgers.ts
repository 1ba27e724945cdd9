import type { AccountStore } from '../../accounts/store/account-store.ts';
import { present } from '../../accounts/store/expressions.ts';
import { shardOf } from '../../accounts/store/expiring.ts';
import { instanceMemory } from '../../accounts/store/instance-memory.ts';
import { noticeItemKey } from '../../accounts/store/notice-items.ts';
import { RefusedError } from '../../accounts/store/refusals.ts';
import { NO_ITEM, putUnlessStale, updateUnlessStale } from '../../accounts/store/writes.ts';
import { NOTICES_METRICS } from '../../shared/names.ts';
import { isKeptWhole } from '../../shared/request/request-store.ts';
import { NO_DEADLINE, queryItems } from '../../shared/store/client.ts';
import type { ItemKey } from '../../shared/store/items.ts';
import { queryOf, readItem } from '../../shared/store/tables.ts';
import { dayOf, isoTime, MS_PER_DAY, MS_PER_MINUTE, MS_PER_SECOND, periodOf, ttlAt } from '../../shared/time.ts';
import { TooManyEvents } from '../../usage/checks/passes.ts';
import { verifyLedger, type LedgerVerification, type VerificationOptions } from '../../usage/checks/verification.ts';
import type { NoticesDependencies, NoticesTelemetry, TimeLeft } from '../dependencies.ts';
import type { ChargedMessage, LedgerMessage } from '../message.ts';
import { sendAgain } from '../send-again.ts';
import { SENT_AT_ONCE } from '../sqs-queue.ts';
import { noteEnded } from './run-progress.ts';

/** Longer than a run looks back. */
const KEPT_MS = 40 * MS_PER_DAY;
/** Handing out goes on in another message when less time is left. */
const LEAST_TIME_MS = 30 * MS_PER_SECOND;
/** The most events that are read of a project: a pass over them takes some two minutes. */
const MOST_EVENTS = 5_000_000;
/** A further pass begins with more time than that left. */
const PASS_MS = 3 * MS_PER_MINUTE;
/** Before the second look: what a cheap read did not show yet is there by then. */
const PAUSE_MS = 2 * MS_PER_SECOND;
/** The shortest `usageRetentionDays`: of a period that began later, all events are kept in any stage. */
const LEAST_RETENTION_DAYS = 62;

/** That the quota counter of a project has changed. */
interface Charged extends ItemKey {
  readonly projectId: string;
  /** The id of its period. */
  readonly period: string;
  /** When its ledger was verified; absent: not yet. */
  readonly verifiedAt?: string;
}

const notedBy = instanceMemory(10_000);

/** Notes, once a UTC day, that a project was charged in a period: the run of the next day has its ledger verified. */
export async function noteCharged(store: AccountStore, projectId: string, period: string): Promise<void> {
  const nowMs = store.clock.now();
  const key = noticeItemKey.charged(dayOf(nowMs), shardOf(projectId), `${projectId}#${period}`);
  const [noted, name] = [notedBy(store), `${key.pk} ${key.sk}`];
  if (noted.has(name)) return;
  await putUnlessStale(store, { ...key, projectId, period, ttl: ttlAt(nowMs + KEPT_MS) }, NO_ITEM);
  noted.add(name);
}

/** Hands out the ledgers of one partition, a message each, so that a large one takes no time from the others. */
export async function onCharged(
  dependencies: NoticesDependencies,
  message: ChargedMessage,
  timeLeft: TimeLeft,
): Promise<void> {
  const { store, queues } = dependencies;
  const { day, chargedOn, shard, after = '' } = message;
  const { pk } = noticeItemKey.charged(chargedOn, shard, '');
  // "!" sorts before every character of an id, and "~" after.
  const query = queryOf(store.tables.gateway, pk, { since: `${after}!`, until: '~' });
  let ledgers: LedgerMessage[] = [];
  for await (const { sk, projectId, verifiedAt } of queryItems<Charged>(store.client, query)) {
    if (verifiedAt === undefined) ledgers.push({ kind: 'ledger', source: { accountId: projectId, sk }, chargedOn });
    if (ledgers.length < SENT_AT_ONCE) continue;
    await queues.daily.send(ledgers);
    ledgers = [];
    if (timeLeft() < LEAST_TIME_MS) {
      await sendAgain(dependencies, { ...message, after: sk }, 0);
      return;
    }
  }
  await queues.daily.send(ledgers);
  await noteEnded(store, day, message.source.sk);
}

/**
 * Verifies one ledger, which it never repairs. The first look is cheap: it may miss events of the last moment. So only
 * what a second, consistent look finds as well is reported: in the log, and once in the metric. The note is marked
 * after that, so a crash in between reports it again, and none loses it. Where 0 stays possible, since the project is
 * charged at every look, the next night decides, at the latest that after the period's end.
 */
export async function onLedger(
  { store, telemetry }: NoticesDependencies,
  { source: { accountId: projectId, sk }, chargedOn }: LedgerMessage,
  timeLeft: TimeLeft,
): Promise<void> {
  const key = noticeItemKey.charged(chargedOn, shardOf(projectId), sk);
  const note = await readItem<Charged>(store, key);
  // An earlier delivery of the message, or the run of a day before.
  if (!note || note.verifiedAt !== undefined) return;
  const of = { projectId, period: note.period };
  const hasTime = (): boolean => timeLeft() > PASS_MS;
  const look = (more: VerificationOptions) => lookAt(store, note, { ...more, mostEvents: MOST_EVENTS, hasTime });
  let found = await look({ isCheap: true });
  if (found.state === 'different') {
    await store.sleep(PAUSE_MS, NO_DEADLINE);
    found = await look({});
  }
  reportLedger(telemetry, of, found);
  await updateUnlessStale(store, { key, when: { pk: present }, set: { verifiedAt: isoTime(store.clock.now()) } });
}

/** Reports, in the log and in metrics, what is not as it must be. */
export function reportLedger(
  telemetry: NoticesTelemetry,
  of: Pick<Charged, 'projectId' | 'period'>,
  { state, details, differingRollups = 0 }: Found,
): void {
  if (state === 'different') {
    telemetry.warn('a ledger is not consistent', { ...of, ...details });
    telemetry.count(NOTICES_METRICS.ledgerDifferences);
  } else if (state === 'too large') {
    telemetry.warn('a ledger has too many events for the nightly verification', of);
    telemetry.count(NOTICES_METRICS.ledgersTooLarge);
  } else if (state === 'undecided') telemetry.info('a ledger is undecided, since it is charged', of);
  if (differingRollups > 0) telemetry.warn('stored sums of usage differ from the events', { ...of, differingRollups });
}

interface Found {
  readonly state: 'fine' | 'undecided' | 'different' | 'too large';
  /** What is not consistent, for the log. */
  readonly details?: Readonly<Record<string, string | number>>;
  readonly differingRollups?: number;
}

async function lookAt(store: AccountStore, note: Charged, options: VerificationOptions): Promise<Found> {
  const { projectId, period: id } = note;
  const period = periodOf(id, 'month') ?? periodOf(id, 'day');
  // Only a change by hand touches the counter of an older period.
  if (!period || !isKeptWhole(period, LEAST_RETENTION_DAYS, store.clock.now())) return { state: 'fine' };
  try {
    return stateOf(await verifyLedger(store, projectId, period, options));
  } catch (error) {
    if (error instanceof TooManyEvents) return { state: 'too large' };
    // A counter without a number, or without a project.
    if (error instanceof RefusedError) return { state: 'different', details: { reason: error.message } };
    throw error;
  }
}

function stateOf(found: LedgerVerification): Found {
  const { quotaUsed, ledgerUnits, difference, keys = [], irregularEvents } = found;
  const differingRollups = found.differingRollups?.count ?? 0;
  if (found.consistent) return { state: 'fine', differingRollups };
  const isCertain = (counter: Pick<LedgerVerification, 'difference' | 'undecidedUnits'>): boolean =>
    counter.difference !== undefined && counter.undecidedUnits === undefined;
  const caps = keys.filter(isCertain);
  if (!isCertain(found) && caps.length === 0 && !irregularEvents) return { state: 'undecided', differingRollups };
  const details = {
    quotaUsed,
    ledgerUnits,
    ...difference,
    caps: caps.length,
    irregularEvents: irregularEvents?.count ?? 0,
  };
  return { state: 'different', details, differingRollups };
}
