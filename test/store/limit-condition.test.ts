import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { periodAt } from '../../functions/shared/time.ts';
import { dynamoDbRequestStore } from '../../functions/gateway/ledger/dynamodb-request-store.ts';
import { testDatabase } from '../support/database.ts';
import { testDeadline } from '../support/deadline.ts';
import { NOW_MS } from '../support/times.ts';
import { readCap } from '../support/caps.ts';
import { someEvent } from '../support/usage-events.ts';

const period = periodAt(NOW_MS, 'month');

/** Settles one charge of two units, whatever the read before it said. */
function settle(limits: { readonly quotaLimit?: number; readonly cap?: number }) {
  const { documents, tables } = testDatabase('metered');
  const store = dynamoDbRequestStore({
    client: documents,
    tables,
    usageRetentionDays: 400,
    newId: randomUUID,
    random: Math.random,
    sleep: () => Promise.resolve(),
  });
  const projectId = randomUUID().replaceAll('-', '').slice(0, 12);
  const event = someEvent({ projectId, requestId: randomUUID(), period: period.id, units: 2 });
  // Of a limit that was raised for the read alone: the rule that refuses before the write lets it pass.
  const counter = { units: -10, shards: [] };
  const cap = limits.cap === undefined ? {} : { cap: readCap('cap', limits.cap, -10) };
  const charge = { event, period, receivedAtMs: NOW_MS, quotaLimit: limits.quotaLimit, shards: 1, counter, ...cap };
  return store.charge(charge, testDeadline());
}

test.each([
  ['a quota that is smaller than its cost', { quotaLimit: 1 }],
  ['a key’s cap that is smaller than its cost', { cap: 1 }],
])('the first charge of a period does not pass %s: the write says so, too', async (_what, limits) => {
  await expect(settle(limits)).resolves.toMatchObject({ outcome: 'exhausted' });
});

test('the first charge passes a limit of its cost', async () => {
  expect(await settle({ quotaLimit: 2, cap: 2 })).toEqual({ outcome: 'settled' });
});
