import { TABLE_ATTRIBUTES } from '../wiring.ts';
import type { UsageEvent } from '../core/usage-event.ts';

/** Names of the two tables. */
export interface TableNames {
  /** State: keys, projects, quota counters, replay records, accounts, people. */
  readonly gateway: string;
  /** Usage events, append-only. */
  readonly usage: string;
}

/** A primary key in either table. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

/** Where each kind of item lives (docs/architecture.md, "Data model"). */
export const itemKey = {
  /** In a partition of its own: requests with forged keys cannot heat a project's. */
  apiKey: (keyHash: string): ItemKey => ({ pk: `KEY#${keyHash}`, sk: 'KEY' }),
  project: (projectId: string): ItemKey => ({ pk: `PROJECT#${projectId}`, sk: 'PROJECT' }),
  quota: (projectId: string, period: string): ItemKey => ({ pk: `PROJECT#${projectId}`, sk: `QUOTA#${period}` }),
  quotaShard: (projectId: string, period: string, index: number): ItemKey => ({
    pk: `PROJECT#${projectId}`,
    sk: `QUOTA#${period}#${String(index).padStart(2, '0')}`,
  }),
  keyReference: (projectId: string, keyId: string): ItemKey => ({ pk: `PROJECT#${projectId}`, sk: `KEYREF#${keyId}` }),
  replay: (projectId: string, replayId: string): ItemKey => ({ pk: `PROJECT#${projectId}`, sk: `REPLAY#${replayId}` }),
  account: (accountId: string): ItemKey => ({ pk: `ACCOUNT#${accountId}`, sk: 'ACCOUNT' }),
  accountProject: (accountId: string, projectId: string): ItemKey => ({
    pk: `ACCOUNT#${accountId}`,
    sk: `PROJECT#${projectId}`,
  }),
  accountListing: (accountId: string): ItemKey => ({ pk: 'ACCOUNTS', sk: accountId }),
} as const;

/** Attribute aliases of an expression: many of our names are reserved words. `names('a')` is `{ '#a': 'a' }`. */
export const names = (...attributes: string[]): Record<string, string> =>
  Object.fromEntries(attributes.map((attribute) => [`#${attribute}`, attribute]));

/** The condition that no item has this key yet. */
export const ABSENT = `attribute_not_exists(${TABLE_ATTRIBUTES.partitionKey})`;

/** Where a usage event is stored. */
export const eventKey = ({
  projectId,
  occurredAt,
  requestId,
}: Pick<UsageEvent, 'projectId' | 'occurredAt' | 'requestId'>): ItemKey => ({
  pk: projectId,
  sk: `${occurredAt}#${requestId}`,
});

/** The key that all events of one API key, code and minute share, so that the first of them is kept. */
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
