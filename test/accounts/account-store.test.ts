import type { BatchGetCommandInput, QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { describe, expect, jest, test } from '@jest/globals';
import { listAccounts, readAccount } from '../../functions/accounts/team/accounts.ts';
import { listAudit } from '../../functions/accounts/authority/audit.ts';
import { revokeKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { RefusedError } from '../../functions/accounts/store/refusals.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { readItems } from '../../functions/shared/store/tables.ts';
import { listMembers } from '../../functions/accounts/team/stored-members.ts';
import { listEveryProject } from '../../functions/accounts/projects/stored-projects.ts';
import { listKeys } from '../../functions/accounts/keys/key-pages.ts';
import { listUsage } from '../../functions/usage/events/log.ts';
import { endlessDeadline } from '../support/deadline.ts';
import { gatewayWithTenant, tenant, testGateway, type TestGateway } from '../support/gateway.ts';
import { before } from '../support/overtaking.ts';
import { HOUR_MS, MINUTE_MS, NOW_MS } from '../support/times.ts';

const keysOf = async ({ store }: TestGateway, projectId: string) =>
  new Map((await Array.fromAsync(listKeys(store, projectId))).map((key) => [key.keyId, key]));

describe('a rotation', () => {
  test('overtaken by another of the same key mints no second key', async () => {
    const gateway = testGateway();
    // The key ends before its grace period would, so that only one attribute of it changes.
    const { keyId, projectId } = await tenant(gateway, { lifetimeMs: MINUTE_MS });
    before(gateway, 'TransactWriteItemsCommand', () => rotateKey(gateway.store, projectId, keyId, HOUR_MS));
    const rotation = await rotateKey(gateway.store, projectId, keyId, HOUR_MS).catch((error: unknown) => error);
    const keys = await keysOf(gateway, projectId);
    expect(keys.size).toBe(2);
    const successor = [...keys.keys()].find((id) => id !== keyId);
    expect(rotation).toEqual(new RefusedError(`Key ${keyId} was rotated already; its successor is ${successor}.`));
    expect(keys.get(keyId)).toMatchObject({ expiresAtMs: NOW_MS + MINUTE_MS, replacedBy: successor });
  });

  test('of a key that was rotated is refused, names the successor and makes none; the successor can be rotated', async () => {
    const { gateway, keyId, projectId } = await gatewayWithTenant();
    const { keyId: successor } = await rotateKey(gateway.store, projectId, keyId, HOUR_MS);
    const line = `Key ${keyId} was rotated already; its successor is ${successor}.`;
    const again = () => rotateKey(gateway.store, projectId, keyId, HOUR_MS);
    await expect(again()).rejects.toThrow(new RefusedError(line));
    // Also when it has expired, although a key that has only expired needs no search for a successor.
    gateway.clock.nowMs += HOUR_MS;
    await expect(again()).rejects.toThrow(new RefusedError(line));
    expect((await keysOf(gateway, projectId)).size).toBe(2);

    const { keyId: next } = await rotateKey(gateway.store, projectId, successor, HOUR_MS);
    const keys = await keysOf(gateway, projectId);
    expect([keyId, successor, next].map((id) => keys.get(id)?.replacedBy)).toEqual([successor, next, undefined]);
  });

  test('overtaken by a change of the key’s limit or name makes a key with that change', async () => {
    for (const change of [{ rpm: 5 }, { name: 'lowered' }]) {
      const { gateway, keyId, projectId } = await gatewayWithTenant();
      before(gateway, 'TransactWriteItemsCommand', () => updateKey(gateway.store, projectId, keyId, change));
      const { keyId: successor } = await rotateKey(gateway.store, projectId, keyId, HOUR_MS);
      const keys = await keysOf(gateway, projectId);
      expect(keys.size).toBe(2);
      expect(keys.get(successor)).toMatchObject(change);
    }
  });

  test('never extends the old key, and gives the new one the lifetime that the old one was made with', async () => {
    const { gateway, keyId, projectId } = await gatewayWithTenant({ lifetimeMs: 2 * HOUR_MS });
    gateway.clock.nowMs += HOUR_MS;
    const first = await rotateKey(gateway.store, projectId, keyId, 5 * HOUR_MS);
    expect((await keysOf(gateway, projectId)).get(keyId)?.expiresAtMs).toBe(NOW_MS + 2 * HOUR_MS);
    const second = await rotateKey(gateway.store, projectId, first.keyId, MINUTE_MS, undefined, keyId);
    const keys = await keysOf(gateway, projectId);
    expect(keys.get(first.keyId)?.expiresAtMs).toBe(NOW_MS + HOUR_MS + MINUTE_MS);
    expect(keys.get(second.keyId)?.expiresAtMs).toBe(NOW_MS + 3 * HOUR_MS);
    const other = await tenant(gateway);
    const { keyId: forEver } = await rotateKey(gateway.store, other.projectId, other.keyId, HOUR_MS);
    expect((await keysOf(gateway, other.projectId)).get(forEver)).not.toHaveProperty('expiresAtMs');
  });

  test.each([
    ['was revoked', 'is revoked', ({ store }: TestGateway, ...id: [string, string]) => revokeKey(store, ...id)],
    ['has expired', 'has expired', ({ clock }: TestGateway) => Promise.resolve((clock.nowMs += HOUR_MS))],
  ])('of a key that %s is refused and makes none', async (_what, line, end) => {
    const { gateway, keyId, projectId } = await gatewayWithTenant({ lifetimeMs: HOUR_MS });
    await end(gateway, projectId, keyId);
    const rotation = rotateKey(gateway.store, projectId, keyId, HOUR_MS);
    await expect(rotation).rejects.toThrow(`Key ${keyId} ${line}; create a new one.`);
    expect([...(await keysOf(gateway, projectId)).keys()]).toEqual([keyId]);
  });
});

describe('the list of keys', () => {
  test('holds also what a batch left unread at first, and gives up sooner than leave it out', async () => {
    const gateway = testGateway();
    const { store } = gateway;
    const { keyId, projectId } = await tenant(gateway);
    const { keyId: other } = await rotateKey(store, projectId, keyId, HOUR_MS);
    let left = 0;
    let isEmpty = false;
    store.client.middlewareStack.add(
      (next, context) => async (args) => {
        if (context.commandName !== 'BatchGetItemCommand' || left-- <= 0) return next(args);
        const { RequestItems } = args.input as BatchGetCommandInput;
        const output = { $metadata: {}, Responses: {}, UnprocessedKeys: isEmpty ? {} : RequestItems };
        return { output, response: {} };
      },
      { step: 'initialize', name: 'unprocessed' },
    );
    const ids = async () => (await Array.fromAsync(listKeys(store, projectId))).map((key) => key.keyId);
    left = 5;
    expect(await ids()).toEqual([other, keyId]);
    left = 6;
    await expect(ids()).rejects.toThrow('the store left keys of a batch unprocessed');
    [left, isEmpty] = [1, true];
    await expect(ids()).rejects.toThrow('a batch came back without its items');
    [left, isEmpty] = [1, false];
    // The deadline of the caller also ends the wait before another attempt.
    const waits: AbortSignal[] = [];
    const sleep = (_ms: number, signal: AbortSignal) => Promise.resolve(void waits.push(signal));
    const deadline = endlessDeadline();
    await Array.fromAsync(listKeys({ ...store, sleep, deadline }, projectId));
    expect(waits.map((signal) => signal === deadline)).toEqual([true]);
  });
});

describe('what the platform team reads', () => {
  test('is as every write before has left it', async () => {
    const gateway = testGateway();
    const { store } = gateway;
    const { key, accountId, projectId } = await tenant(gateway);
    await gateway.ping(key);
    const read = new Map<string, unknown>();
    store.client.middlewareStack.add(
      (next, { commandName = '' }) =>
        (args) => {
          const { ConsistentRead, RequestItems } = args.input as QueryCommandInput & BatchGetCommandInput;
          const [batch] = Object.values(RequestItems ?? {});
          if (/^(?:Get|BatchGet|Query|Scan)/.test(commandName)) {
            read.set(JSON.stringify(args.input), ConsistentRead ?? batch?.ConsistentRead ?? false);
          }
          return next(args);
        },
      { step: 'initialize', name: 'reads' },
    );
    await readAccount(store, accountId);
    for (const list of [listMembers(store, accountId), listAudit(store, accountId), listKeys(store, projectId)]) {
      await Array.fromAsync<unknown>(list);
    }
    await Array.fromAsync(listUsage(store, projectId, {}));
    await gateway.verify(projectId);
    for (const list of [listEveryProject(store), listAccounts(store)]) await list.next();
    expect(read.size).toBeGreaterThan(7);
    expect([...read].filter(([, isConsistent]) => isConsistent !== true)).toEqual([]);
  });
});

test('items are read a hundred at a time in the order of their keys, and those that are not there are left out', async () => {
  const gateway = testGateway();
  const ids = [(await tenant(gateway)).projectId, (await tenant(gateway)).projectId].sort().reverse();
  const absent = Array.from({ length: 98 }, (_, i) => `absent${i}`);
  const read = async (projectIds: readonly string[]) => {
    const keys = (async function* () {
      for (const id of projectIds) yield await Promise.resolve(itemKey.project(id));
    })();
    return (await Array.fromAsync(readItems<{ projectId: string }>(gateway.store, keys))).map((item) => item.projectId);
  };
  const send = jest.spyOn(gateway.store.client, 'send');
  expect(await read([ids[0] ?? '', ...absent, ids[1] ?? ''])).toEqual(ids);
  expect(send).toHaveBeenCalledTimes(1);
  expect(await read([...absent, ...ids, 'absent'])).toEqual(ids);
  expect(send).toHaveBeenCalledTimes(3);
  expect(await read([])).toEqual([]);
  expect(send).toHaveBeenCalledTimes(3);
});
