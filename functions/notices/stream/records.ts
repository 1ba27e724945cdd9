import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { AUDIT_PREFIX, accountItemKey } from '../../accounts/store/account-items.ts';
import type { StoredItem } from '../../accounts/store/account-store.ts';
import type { AuditEvent } from '../../accounts/authority/audit.ts';
import {
  DELIVERY_PREFIX,
  LEFT_KEYS_PREFIX,
  MARK_PREFIX,
  REPORT,
  RETELL_PREFIX,
  noticeItemKey,
} from '../../accounts/store/notice-items.ts';
import { capOf } from '../../shared/request/admission.ts';
import { capSpanAt } from '../../shared/request/cap-period.ts';
import { MS_PER_MINUTE, MS_PER_SECOND, isoTime, periodAt } from '../../shared/time.ts';
import { locateKey } from '../../accounts/keys/stored-keys.ts';
import { CAP_UNITS_PREFIX, PROJECT_PREFIX, QUOTA_PREFIX } from '../../shared/store/items.ts';
import { queryItems } from '../../shared/store/client.ts';
import { itemsFrom, queryOf } from '../../shared/store/tables.ts';
import { NOTICES_METRICS } from '../../shared/names.ts';
import type { Failures, NoticesDependencies } from '../dependencies.ts';
import { isTransient, NotKeptError, reportSkipped, unlessUnreadable } from '../failures.ts';
import type { LeftKeysMessage } from '../message.ts';
import { enqueueNotice } from '../messages.ts';
import { noticeOf } from './notice-of.ts';
import { noteCharged } from '../daily/ledgers.ts';
import { checkCap, checkQuota } from '../thresholds.ts';
import { queueDeliveries } from '../webhooks/drain.ts';
import type { StoredDelivery } from '../../accounts/endpoints/deliveries.ts';
import type { RetellRequest } from '../../accounts/mail/retell-requests.ts';

/** The number of steps that run at the same time. */
const BATCH_SIZE = 10;
/** How long a record that fails by a defect is tried: the deployment with the defect may be rolled back meanwhile. */
const DEFECT_MS = 15 * MS_PER_MINUTE;

/** A step of work for a record. One step of each name in a batch is enough, since a step reads what is stored. */
interface Step {
  readonly name: string;
  readonly sequenceNumber: string;
  /** When the record was made; undefined: it is not known. */
  readonly madeAtMs: number | undefined;
  readonly run: () => Promise<void>;
  readonly record: DynamoDBRecord;
}

/**
 * Handles records of the Gateway table's stream. A record that cannot be read is skipped at once, and a record that
 * fails by a defect after some minutes. Both are logged and counted. After any other failure the stream delivers the
 * records again from there, so later steps may run twice.
 */
export async function onRecords(
  dependencies: NoticesDependencies,
  records: readonly DynamoDBRecord[],
): Promise<Failures> {
  const { store, telemetry } = dependencies;
  const steps = firstOfEach(records.flatMap((record) => readableSteps(dependencies, record)));
  for (let i = 0; i < steps.length; i += BATCH_SIZE) {
    const part = steps.slice(i, i + BATCH_SIZE);
    const results = await Promise.allSettled(part.map(({ run }) => run()));
    for (const [j, result] of results.entries()) {
      const step = part[j];
      if (result.status === 'fulfilled' || !step) continue;
      const { name, sequenceNumber, madeAtMs = Infinity } = step;
      const isDefect = !isTransient(result.reason);
      if (isDefect && store.clock.now() - madeAtMs >= DEFECT_MS) {
        if (await keepRecord(dependencies, step)) {
          reportSkipped(telemetry, 'a record', { name, sequenceNumber }, result.reason);
          continue;
        }
      }
      // A version that can do nothing at all is rolled back by this metric's alarm.
      if (isDefect && i === 0 && results.every(({ status }) => status === 'rejected'))
        telemetry.count(NOTICES_METRICS.batchesFailed);
      telemetry.warn('a record failed and is read again', { name, sequenceNumber }, result.reason);
      telemetry.count(NOTICES_METRICS.failures);
      return { batchItemFailures: [{ itemIdentifier: sequenceNumber }] };
    }
  }
  return { batchItemFailures: [] };
}

/** Keeps the record of a step before it is left out. False: it was not stored, and the record must come again. */
async function keepRecord({ keepLeftOut, telemetry }: NoticesDependencies, { record, sequenceNumber }: Step) {
  try {
    await keepLeftOut(sequenceNumber, { Records: [record] });
    return true;
  } catch (error) {
    telemetry.warn('a record that is left out could not be stored', { sequenceNumber }, error);
    return false;
  }
}

/** The first step of each name, in order. */
function firstOfEach(steps: readonly Step[]): Step[] {
  const names = new Set<string>();
  return steps.filter(({ name }) => !names.has(name) && names.add(name));
}

/** The steps of a record. If it cannot be read, its only step is to keep it, so that those behind it do not wait. */
function readableSteps(dependencies: NoticesDependencies, record: DynamoDBRecord): Step[] {
  const { telemetry, keepLeftOut } = dependencies;
  try {
    return stepsOf(dependencies, record);
  } catch (error) {
    const { Keys, SequenceNumber = '' } = record.dynamodb ?? {};
    const details = { pk: Keys?.pk?.S ?? null, sk: Keys?.sk?.S ?? null, sequenceNumber: SequenceNumber };
    const run = async (): Promise<void> => {
      await keepLeftOut(SequenceNumber, { Records: [record] }).catch((cause: unknown) => {
        throw new NotKeptError('a record that cannot be read was not kept', { cause });
      });
      reportSkipped(telemetry, 'a record', details, error);
    };
    return [{ name: `unreadable ${SequenceNumber}`, sequenceNumber: SequenceNumber, madeAtMs: undefined, run, record }];
  }
}

/** The steps by kind of item. An item that is written once has steps only when it is new. */
function stepsOf(dependencies: NoticesDependencies, record: DynamoDBRecord): Step[] {
  const { eventName, dynamodb = {} } = record;
  const { SequenceNumber = '', NewImage, ApproximateCreationDateTime: madeAtSeconds } = dynamodb;
  if (eventName === 'REMOVE') return [];
  const item = unmarshall(NewImage as Record<string, AttributeValue>) as StoredItem & { pk: string; sk: string };
  const step = (name: readonly string[], run: Step['run']): Step => ({
    name: name.join(' '),
    sequenceNumber: SequenceNumber,
    madeAtMs: madeAtSeconds === undefined ? undefined : madeAtSeconds * MS_PER_SECOND,
    run,
    record,
  });
  // A counter changes often, so one that cannot be read must not delay the others: its next change is a check again.
  const check = (name: readonly string[], run: Step['run']): Step =>
    step(name, () => unlessUnreadable(dependencies.telemetry, 'a counter', { name: name.join(' ') }, run));
  const { pk, sk } = item;
  if (sk.startsWith(AUDIT_PREFIX) || sk.startsWith(MARK_PREFIX)) {
    if (eventName !== 'INSERT') return [];
    const notice = noticeOf(item);
    const source = { accountId: item.accountId as string, sk };
    const changes = sk.startsWith(AUDIT_PREFIX) ? limitSteps(dependencies, item as never, check) : [];
    return [
      ...(notice ? [step(['notice', pk, sk], () => enqueueNotice(dependencies, notice, source))] : []),
      ...changes,
    ];
  }
  if (sk.startsWith(RETELL_PREFIX)) {
    return eventName === 'INSERT' ? [step(['retell', pk, sk], () => retellNotices(dependencies, item as never))] : [];
  }
  if (sk.startsWith(LEFT_KEYS_PREFIX)) {
    const message: LeftKeysMessage = { kind: 'leftKeys', source: { accountId: REPORT, sk } };
    return eventName === 'INSERT' ? [step(['left keys', sk], () => dependencies.queues.webhooks.send([message]))] : [];
  }
  if (sk.startsWith(DELIVERY_PREFIX)) {
    const delivery = item as unknown as StoredDelivery;
    // Those that nobody asked for were put by this function, and wait already.
    if (eventName !== 'INSERT' || delivery.isAsked !== true) return [];
    return [step(['delivery', pk, sk], () => queueDeliveries(dependencies, delivery.accountId, [delivery]))];
  }
  const projectId = pk.slice(PROJECT_PREFIX.length);
  const [, period = '', capId = ''] = sk.split('#');
  if (sk.startsWith(QUOTA_PREFIX)) {
    return [
      check(['quota', projectId, period], () => checkQuota(dependencies, projectId, period)),
      check(['charged', projectId, period], () => noteCharged(dependencies.store, projectId, period)),
    ];
  }
  if (sk.startsWith(CAP_UNITS_PREFIX)) {
    return [check(['cap', projectId, period, capId], () => checkCap(dependencies, projectId, period, capId))];
  }
  return [];
}

/** The used units may already reach the changed limit. So the audit event of the change triggers a check. */
function limitSteps(
  dependencies: NoticesDependencies,
  { projectId, keyId, before, after }: AuditEvent,
  check: (name: readonly string[], run: Step['run']) => Step,
): Step[] {
  // What is new has used nothing yet, and the successor of a rotation has the limit that was checked before.
  if (projectId === undefined || !before || !after) return [];
  const { store, quotaPeriod } = dependencies;
  const nowMs = store.clock.now();
  const period = periodAt(nowMs, quotaPeriod).id;
  if (keyId === undefined) {
    return 'quotaLimit' in after
      ? [check(['quota', projectId, period], () => checkQuota(dependencies, projectId, period))]
      : [];
  }
  if (!('unitsLimit' in after) && !('unitsPeriod' in after)) return [];
  const checkKey = async (): Promise<void> => {
    const key = await locateKey(store, projectId, keyId);
    const cap = key && capOf(key);
    if (cap) await checkCap(dependencies, projectId, capSpanAt(nowMs, cap.id, quotaPeriod).id, cap.id);
  };
  return [check(['key', projectId, keyId], checkKey)];
}

/**
 * Tells the notices of an account since a time again, from its audit events and markers. Ids are the same as before, so
 * whoever was told is not told twice.
 */
async function retellNotices(
  dependencies: NoticesDependencies,
  { accountId, sinceMs }: Pick<RetellRequest, 'accountId' | 'sinceMs'>,
): Promise<void> {
  const { store, telemetry } = dependencies;
  const since = isoTime(sinceMs);
  const events = accountItemKey.audit(accountId, '');
  // "~" sorts after every time.
  const range = { since: `${events.sk}${since}`, until: `${events.sk}~` };
  const sources = [
    queryItems<StoredItem>(store.client, queryOf(store.tables.gateway, events.pk, range)),
    // Their keys begin with what they are about. After 60 days all but a few are gone.
    itemsFrom<StoredItem>(store, noticeItemKey.marker(accountId, '')),
  ];
  for (const items of sources) {
    for await (const item of items) {
      if (typeof item.at === 'string' && item.at < since) continue;
      const sk = item.sk as string;
      await unlessUnreadable(telemetry, 'a source', { accountId, sk }, async () => {
        const notice = noticeOf(item);
        if (notice) await enqueueNotice(dependencies, notice, { accountId, sk });
      });
    }
  }
}
