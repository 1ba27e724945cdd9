import { expect, test } from '@jest/globals';
import type { AccountStore } from '../../functions/accounts/account-store.ts';
import { accountItemKey } from '../../functions/accounts/account-items.ts';
import { onAccounts } from '../../functions/notices/daily/account-checks.ts';
import { dailyRun } from '../../functions/notices/daily/daily-run.ts';
import type { AccountsMessage } from '../../functions/notices/message.ts';
import { MESSAGES_AT_ONCE } from '../../functions/notices/names.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { IS_FULL } from '../support/extent.ts';
import { testGateway } from '../support/gateway.ts';
import { testNotices } from '../support/notices.ts';
import { MINUTE_MS, NOW_MS } from '../support/times.ts';

const ACCOUNTS = IS_FULL ? 100_000 : 2_000;
/** A call to DynamoDB or SQS takes so long, on average, from a function in its region. */
const CALL_MS = 6;
const CAPS = 5;
const BYTES_A_UNIT = 4_096;

interface Call {
  readonly constructor: { readonly name: string };
  readonly input: {
    readonly Key?: { readonly pk: string; readonly sk: string };
    readonly RequestItems?: Readonly<Record<string, { readonly Keys: readonly { pk: string; sk: string }[] }>>;
    readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
  };
}

/** A table of many accounts that exists by a rule: each has a project with caps, a used quota and a key that ends. */
function tableOfMany(gateway: ReturnType<typeof testGateway>) {
  const idOf = (n: number): string => `acc_${String(n).padStart(16, '0')}`;
  const real = gateway.store.client;
  const written = new Map<string, Record<string, unknown>>();
  const cost = { calls: 0, units: 0, writes: 0 };
  const itemAt = ({ pk, sk }: { pk: string; sk: string }): Record<string, unknown> | undefined => {
    const known = written.get(`${pk} ${sk}`);
    if (known) return known;
    const [kind, id = ''] = pk.split('#');
    if (kind !== 'PROJECT') return undefined;
    const accountId = `acc_${id}`;
    if (sk === itemKey.project(id).sk)
      return { pk, sk, projectId: id, accountId, status: 'active', quotaLimit: 100, shards: 1 };
    if (sk === itemKey.quota(id, '2030-01').sk) return { pk, sk, units: 10 };
    if (sk === accountItemKey.activeKeys(id).sk) return { pk, sk, keys: { key_1: NOW_MS + 90 * 86_400_000, key_2: 0 } };
    return undefined;
  };
  const query = (values: Readonly<Record<string, unknown>>): Record<string, unknown>[] => {
    const pk = String(values[':pk']);
    const prefix = (values[':prefix'] ?? values[':since'] ?? '') as string;
    if (pk === 'ACCOUNTS') return Array.from({ length: ACCOUNTS }, (_, n) => ({ pk, sk: idOf(n), accountId: idOf(n) }));
    if (pk.startsWith('ACCOUNT#'))
      return [{ pk, sk: `PROJECT#${pk.slice(12)}`, projectId: pk.slice('ACCOUNT#acc_'.length) }];
    if (prefix.startsWith('KEYUNITS#')) {
      const [, period] = prefix.split('#');
      return Array.from({ length: CAPS }, (_, n) => ({ pk, sk: `KEYUNITS#${period}#key_${n}`, units: 0 }));
    }
    return [...written.values()].filter((item) => item.pk === pk && String(item.sk).startsWith(prefix));
  };
  const send = ({ constructor, input }: Call): Promise<object> => {
    gateway.clock.nowMs += CALL_MS;
    cost.calls++;
    const { Key, RequestItems, ExpressionAttributeValues: values = {} } = input;
    if (constructor.name === 'GetCommand' && Key) {
      cost.units++;
      return Promise.resolve({ Item: itemAt(Key) });
    }
    if (constructor.name === 'BatchGetCommand') {
      const [[table, { Keys }] = ['', { Keys: [] }]] = Object.entries(RequestItems ?? {});
      cost.units += Keys.length;
      return Promise.resolve({ Responses: { [table]: Keys.map(itemAt).filter((item) => item) } });
    }
    if (constructor.name === 'QueryCommand') {
      const Items = query(values);
      cost.units += Math.max(1, Math.ceil(JSON.stringify(Items).length / BYTES_A_UNIT));
      return Promise.resolve({ Items, Count: Items.length });
    }
    if (constructor.name === 'UpdateCommand' && Key) {
      cost.writes++;
      const name = `${Key.pk} ${Key.sk}`;
      const before = written.get(name) ?? { ...Key };
      const part = values[':part'] as Set<number> | undefined;
      const ended = part && new Set([...((before.ended as Set<number> | undefined) ?? []), ...part]);
      const set = Object.fromEntries(Object.entries(values).map(([key, value]) => [key.slice(1), value]));
      written.set(name, { ...before, ...set, ...(ended && { ended }) });
      return Promise.resolve({});
    }
    throw new Error(`not played: ${constructor.name}`);
  };
  return { client: Object.assign(Object.create(real) as typeof real, { send }) as AccountStore['client'], cost };
}

test(`a day of ${ACCOUNTS} accounts ends within an hour, for some read units an account`, async () => {
  const gateway = testGateway();
  const { client, cost } = tableOfMany(gateway);
  const parts: AccountsMessage[] = [];
  const queue = {
    send: (messages: readonly unknown[]) => {
      gateway.clock.nowMs += CALL_MS * Math.ceil(messages.length / 10);
      parts.push(...(messages as AccountsMessage[]));
      return Promise.resolve();
    },
  };
  const { dependencies, metrics } = testNotices(gateway, { queues: { mail: queue, webhooks: queue } });
  const many = { ...dependencies, store: { ...dependencies.store, client } };
  const startMs = gateway.clock.nowMs;
  const run = async () => {
    const beganMs = gateway.clock.nowMs;
    await dailyRun(many, () => 3 * MINUTE_MS - (gateway.clock.nowMs - beganMs));
    return gateway.clock.nowMs - beganMs;
  };
  const handedOutMs = await run();
  expect(parts).toHaveLength(ACCOUNTS / 25);
  const checksFromMs = gateway.clock.nowMs;
  let longestMs = 0;
  for (const part of parts) {
    const beganMs = gateway.clock.nowMs;
    await onAccounts(many, part, () => 3 * MINUTE_MS - (gateway.clock.nowMs - beganMs));
    longestMs = Math.max(longestMs, gateway.clock.nowMs - beganMs);
  }
  const checksMs = (gateway.clock.nowMs - checksFromMs) / MESSAGES_AT_ONCE.webhook;
  await run();
  expect(metrics).toContain('NoticeDaysComplete');
  const figures = {
    accounts: ACCOUNTS,
    parts: parts.length,
    handedOutSeconds: handedOutMs / 1_000,
    checksMinutes: checksMs / MINUTE_MS,
    longestPartSeconds: longestMs / 1_000,
    calls: cost.calls,
    readUnits: cost.units,
    writes: cost.writes,
  };
  if (IS_FULL) process.stdout.write(`${JSON.stringify(figures)}\n`);
  expect(startMs).toBe(NOW_MS);
  expect(cost.units / ACCOUNTS).toBeLessThan(20);
  expect((handedOutMs + checksMs) / MINUTE_MS).toBeLessThan(60);
});
