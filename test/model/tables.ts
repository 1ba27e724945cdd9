import { deepStrictEqual } from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { hashApiKey } from '../../functions/shared/credentials/api-key.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { verifyLedger } from '../../functions/usage/checks/verification.ts';
import { periodOf as realPeriodOf } from '../../functions/shared/time.ts';
import { LOCAL_KEY_TAG_SECRET } from '../../local/settings.ts';
import { partition } from '../support/database.ts';
import type { Event, Key, Project, World } from './world.ts';

/** The retention of charged events, and of events of 0 units. */
const CHARGED_SECONDS = 400 * 86_400;
const FREE_SECONDS = 30 * 86_400;

type Item = Readonly<Record<string, unknown>>;

/** Throws if the tables differ from the world. */
export async function deepEqualTables(store: AccountStore, world: World): Promise<void> {
  for (const key of world.keys) await equalKey(store, key);
  for (const project of world.projects) {
    await equalState(store, project);
    await equalEvents(store, project);
    for (const [id, units] of project.used) {
      const period = realPeriodOf(id, world.quotaPeriod);
      if (!period) throw new Error(`${id} is no period.`);
      const books = await verifyLedger(store, project.projectId, period);
      deepStrictEqual(books, { consistent: true, quotaUsed: units, ledgerUnits: units });
    }
  }
}

async function equalKey(store: AccountStore, expected: Key): Promise<void> {
  const { key, keyId, revoked, paused, replacedBy, expiresAtMs, rpm, unitsLimit, capId, window } = expected;
  const [item = {}] = await partition(store, `KEY#${hashApiKey(key)}`);
  const slots = Object.fromEntries(Object.entries(item).filter(([name]) => name.startsWith('slot')));
  const { window: minute, ...seen } = item;
  deepStrictEqual(
    [
      seen.keyId,
      seen.status,
      seen.paused,
      seen.replacedBy,
      seen.expiresAtMs,
      seen.rpm,
      seen.unitsLimit,
      seen.capId,
      minute,
      slots,
    ],
    [
      ...[
        keyId,
        revoked ? 'revoked' : 'active',
        paused || undefined,
        replacedBy,
        expiresAtMs,
        rpm,
        unitsLimit,
        capId,
        window?.minute,
      ],
      // Of the sixteen slots only that of the window is there.
      window === undefined ? {} : { [`slot${window.minute % 16}`]: window.count },
    ],
  );
}

async function equalState(store: AccountStore, { projectId, used, caps, replays }: Project): Promise<void> {
  const items = await partition(store, `PROJECT#${projectId}`);
  const kept = (prefix: string): Item[] => items.filter(({ sk }) => (sk as string).startsWith(prefix));
  // The counter counts as used what its shards hold.
  const counters = Map.groupBy(kept('QUOTA#'), ({ sk }) => (sk as string).split('#').slice(0, 2).join('#'));
  deepStrictEqual(
    [...counters].map(([sk, parts]) => [
      sk,
      parts.reduce((sum, { units = 0, left = 0 }) => sum + (units as number) - (left as number), 0),
    ]),
    [...used].map(([period, units]) => [`QUOTA#${period}`, units]).sort(),
  );
  deepStrictEqual(
    kept('KEYUNITS#').map(({ pk: _, sk, ttl: __, units = 0, ...held }) => [
      (sk as string).split('#').slice(1).join(' '),
      { units, ...held },
    ]),
    [...caps]
      .filter(([, { units, limit }]) => units > 0 || limit !== undefined)
      .map(
        ([name, { units, months, limit }]) =>
          [name, { units, ...months, ...(limit !== undefined && { limit }) }] as const,
      )
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
  deepStrictEqual(
    kept('REPLAY#')
      .map(({ status, body, ttl }) => [(JSON.parse(body as string) as Item).requestId, status, ttl])
      .sort(),
    [...replays.values()].map(({ requestId, expiresAtEpochSeconds }) => [requestId, 200, expiresAtEpochSeconds]).sort(),
  );
}

async function equalEvents(store: AccountStore, { projectId, events }: Project): Promise<void> {
  const items = await partition(store, projectId, store.tables.usage);
  const byId = (a: Item, b: Item): number => ((a.requestId as string) < (b.requestId as string) ? -1 : 1);
  deepStrictEqual(
    items.map(({ pk, sk, ...event }) => ({ ...event })).sort(byId),
    events.map((event) => storedEvent(projectId, event)).sort(byId),
  );
}

const storedEvent = (projectId: string, { occurredAtMs, tokens, idempotencyKey, ...event }: Event): Item => ({
  ...event,
  projectId,
  latencyMs: 0,
  inputTokens: tokens?.[0] ?? null,
  outputTokens: tokens?.[1] ?? null,
  totalTokens: tokens?.[2] ?? null,
  occurredAt: new Date(occurredAtMs).toISOString(),
  idempotencyTag: idempotencyKey === null ? null : tagOf(projectId, idempotencyKey),
  ttl: Math.floor(occurredAtMs / 1000) + (event.units > 0 ? CHARGED_SECONDS : FREE_SECONDS),
});

/** Three characters tell the secret, five the Idempotency-Key. */
const tagOf = (projectId: string, idempotencyKey: string): string =>
  hmac([projectId]).slice(0, 3) + hmac([projectId, idempotencyKey]).slice(0, 5);

const hmac = (texts: readonly string[]): string =>
  createHmac('sha256', LOCAL_KEY_TAG_SECRET)
    .update(JSON.stringify(['idempotency tag', ...texts]))
    .digest('hex');
