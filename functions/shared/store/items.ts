import { isoTime } from '../time.ts';
import type { UsageEvent } from '../request/usage-event.ts';

/** A primary key in either table. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

/** What the partition keys of API keys and projects begin with, and the sort keys of two kinds of counters. */
export const API_KEY_PREFIX = 'KEY#';
export const PROJECT_PREFIX = 'PROJECT#';
export const QUOTA_PREFIX = 'QUOTA#';
export const CAP_UNITS_PREFIX = 'KEYUNITS#';

/** The partition that lists all accounts. */
export const ACCOUNTS_PARTITION = 'ACCOUNTS';

/** The key of each kind of item (docs/architecture.md, "Data model"). */
export const itemKey = {
  /** In its own partition: requests with forged keys cannot heat the partition of a project. */
  apiKey: (keyHash: string): ItemKey => ({ pk: `${API_KEY_PREFIX}${keyHash}`, sk: 'KEY' }),
  project: (projectId: string): ItemKey => inProject(projectId, 'PROJECT'),
  quota: (projectId: string, period: string): ItemKey => inProject(projectId, `${QUOTA_PREFIX}${period}`),
  quotaShard: (projectId: string, period: string, index: number): ItemKey =>
    inProject(projectId, `${QUOTA_PREFIX}${period}#${String(index).padStart(2, '0')}`),
  /** Not `QUOTA#…`: the project's counter is read with its shards by that prefix. */
  capUnits: (projectId: string, period: string, capId: string): ItemKey =>
    inProject(projectId, `${CAP_UNITS_PREFIX}${period}#${capId}`),
  keyReference: (projectId: string, keyId: string): ItemKey => inProject(projectId, `KEYREF#${keyId}`),
  replay: (projectId: string, replayId: string): ItemKey => inProject(projectId, `REPLAY#${replayId}`),
  account: (accountId: string): ItemKey => inAccount(accountId, 'ACCOUNT'),
  accountProject: (accountId: string, projectId: string): ItemKey => inAccount(accountId, `PROJECT#${projectId}`),
  accountListing: (accountId: string): ItemKey => ({ pk: ACCOUNTS_PARTITION, sk: accountId }),
} as const;

/** The key of an item in a project's partition, and in an account's. */
export const inProject = (projectId: string, sk: string): ItemKey => ({ pk: `${PROJECT_PREFIX}${projectId}`, sk });
export const inAccount = (accountId: string, sk: string): ItemKey => ({ pk: `ACCOUNT#${accountId}`, sk });

/** The key of a usage event. */
export const eventKey = ({
  projectId,
  occurredAt,
  requestId,
}: Pick<UsageEvent, 'projectId' | 'occurredAt' | 'requestId'>): ItemKey => ({
  pk: projectId,
  sk: `${occurredAt}#${requestId}`,
});

/** The common key of all events of one API key, code and minute. Only the first of them is kept. */
export const oncePerMinuteKey = ({
  projectId,
  occurredAt,
  keyId,
  code,
  event,
}: Pick<UsageEvent, 'projectId' | 'occurredAt' | 'keyId' | 'code' | 'event'>): ItemKey => ({
  pk: projectId,
  sk: `${occurredAt.slice(0, 'YYYY-MM-DDTHH:MM'.length)}:00.000Z#${keyId}#${code ?? event}`,
});

/** A span of time: from `sinceMs` up to but without `untilMs`. Undefined: no bound. */
export interface TimeSpan {
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** Texts before and after every ISO time, for a span without a bound. */
const START_OF_TIME = '0';
const END_OF_TIME = ':';

/**
 * The bounds of a span as text, for sort keys that begin with a time. BETWEEN includes both ends; no such key is only a
 * time.
 */
export const boundsAsText = ({ sinceMs, untilMs }: TimeSpan): { since: string; until: string } => ({
  since: sinceMs === undefined ? START_OF_TIME : isoTime(sinceMs),
  until: untilMs === undefined ? END_OF_TIME : isoTime(untilMs),
});

/**
 * The upper bound of the items before a position. It is never below `since`, because BETWEEN refuses bounds in the
 * wrong order.
 */
export function untilBefore({ since, until }: { since: string; until: string }, before: string | undefined): string {
  if (before === undefined || until < before) return until;
  return before < since ? since : before;
}
