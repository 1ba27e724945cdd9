import { randomUUID } from 'node:crypto';
import { GetCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { StoreBusyError } from '../../functions/shared/http/errors.ts';
import { createAccount, readAccount, readAccounts, updateAccount } from '../../functions/accounts/team/accounts.ts';
import { closeAccount } from '../../functions/accounts/projects/account-closing.ts';
import { createKey, expireKey, revokeKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import { asPerson } from '../../functions/accounts/authority/authority.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { findOrMakePerson, signIn } from '../../functions/accounts/people/identities.ts';
import { acceptInvitation, declineInvitation } from '../../functions/accounts/team/invitation-answers.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { accountItemKey } from '../../functions/accounts/store/account-items.ts';
import { listKeys } from '../../functions/accounts/keys/key-pages.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { DEFAULT_LIMITS } from '../../functions/accounts/store/limits.ts';
import { removeMember, updateMember } from '../../functions/accounts/team/members.ts';
import { deleteProfile } from '../../functions/accounts/people/profile.ts';
import {
  closeProject,
  createProject,
  suspendProject,
  updateProject,
} from '../../functions/accounts/projects/projects.ts';
import { StaleError } from '../../functions/accounts/store/refusals.ts';
import { signOutMember } from '../../functions/accounts/people/users.ts';
import { listAccountProjects, readProject, readProjects } from '../../functions/accounts/projects/stored-projects.ts';
import { readKey } from '../../functions/accounts/keys/stored-keys.ts';
import { REQUEST_TIMEOUT_MS } from '../../functions/shared/store/client.ts';
import { itemsPerPage, ownTables } from '../support/books-by-hand.ts';
import { deleteItem, recordCalls } from '../support/database.ts';
import { gatewayWithTenant, KEY, tenant, testGateway } from '../support/gateway.ts';
import { before, cancelled } from '../support/overtaking.ts';
import { auditOf, join, ownAccount, person, membershipStatesIn } from '../support/people.ts';
import { DAY_MS, MINUTE_MS, NOW_MS } from '../support/times.ts';

describe('a pause', () => {
  test('keeps the key as it is, is audited, and refuses its rotation until it is resumed', async () => {
    const { gateway, accountId, keyId, projectId } = await gatewayWithTenant({ unitsLimit: 5 });
    const { store } = gateway;
    const before = await readKey(store, projectId, keyId);
    gateway.clock.nowMs += 1;
    await updateKey(store, projectId, keyId, { paused: true });
    await updateKey(store, projectId, keyId, { paused: true });
    const paused = { ...before, pausedAtMs: gateway.clock.nowMs };
    expect(await readKey(store, projectId, keyId)).toEqual({ ...paused, paused: true });
    const refusal = { code: 'KEY_NOT_ACTIVE', publicDetail: 'This key is paused. Resume it first.' };
    await expect(rotateKey(store, projectId, keyId, 0)).rejects.toMatchObject(refusal);
    gateway.clock.nowMs += 1;
    await updateKey(store, projectId, keyId, { paused: false });
    expect(await readKey(store, projectId, keyId)).toEqual(paused);
    const audit = await auditOf({ store }, accountId);
    expect(audit.slice(-2).map(({ action, before: was, after }) => [action, was, after])).toEqual([
      ['key.update', { paused: null }, { paused: true }],
      ['key.update', { paused: true }, { paused: null }],
    ]);
    await rotateKey(store, projectId, keyId, 0);
    // It has ended.
    await expect(updateKey(store, projectId, keyId, { paused: true })).rejects.toMatchObject({
      code: 'KEY_NOT_ACTIVE',
    });
  });

  test('that comes beside a rotation is on both or on neither', async () => {
    const { gateway, keyId, projectId } = await gatewayWithTenant();
    const { store } = gateway;
    before(gateway, 'TransactWriteItemsCommand', () => updateKey(gateway.store, projectId, keyId, { paused: true }), 2);
    await expect(rotateKey(store, projectId, keyId, DAY_MS)).rejects.toMatchObject({ code: 'KEY_NOT_ACTIVE' });
    expect(await readKey(store, projectId, keyId)).toMatchObject({ paused: true });
  });
});

describe('a changed expiry', () => {
  test('moves the key in its lists, and holds from the next request on', async () => {
    const { gateway, key, keyId, projectId } = await gatewayWithTenant({ lifetimeMs: MINUTE_MS });
    const { store } = gateway;
    const until = async (expiresAtMs: number | 'never') => {
      await updateKey(store, projectId, keyId, { expiresAtMs });
      const { keys } = (await store.client
        .send(new GetCommand({ TableName: store.tables.gateway, Key: accountItemKey.activeKeys(projectId) }))
        .then(({ Item }) => Item)) as { keys: Record<string, number> };
      const [listed] = await Array.fromAsync(listKeys(store, projectId));
      return [keys[keyId], listed?.expiresAtMs, listed?.lifetimeMs, listed?.ttl];
    };
    const later = NOW_MS + 2 * DAY_MS;
    expect(await until(later)).toEqual([later, later, 2 * DAY_MS, (later + 90 * DAY_MS) / 1_000]);
    gateway.clock.nowMs += DAY_MS;
    expect((await gateway.ping(key)).status).toBe(200);
    expect(await until('never')).toEqual([0, undefined, undefined, undefined]);
    await expect(until(gateway.clock.nowMs)).rejects.toThrow('has passed');
    expect((await until(gateway.clock.nowMs + 1))[0]).toBe(gateway.clock.nowMs + 1);
    gateway.clock.nowMs += 1;
    expect((await gateway.ping(key)).body.code).toBe('API_KEY_EXPIRED');
    await expect(until('never')).rejects.toMatchObject({ code: 'KEY_NOT_ACTIVE' });
  });

  test.each<[string, number | undefined, (store: AccountStore, projectId: string, keyId: string) => Promise<unknown>]>([
    ['of a page', undefined, (...key) => updateKey(...key, { expiresAtMs: NOW_MS + 6 * DAY_MS })],
    [
      'of a page, of a key with an end',
      90 * DAY_MS,
      (...key) => updateKey(...key, { expiresAtMs: NOW_MS + 6 * DAY_MS }),
    ],
    ['of the platform team', undefined, (...key) => expireKey(...key, { atMs: NOW_MS + 6 * DAY_MS })],
    ['later than before', 4 * DAY_MS, (...key) => expireKey(...key, { inMs: 3 * DAY_MS }, true)],
  ])('%s gives a successor the time that was asked for, and no more', async (_whose, lifetimeMs, change) => {
    const { gateway, accountId, keyId, projectId } = await gatewayWithTenant({ lifetimeMs });
    const { store, clock } = gateway;
    clock.nowMs += 3 * DAY_MS;
    await change(store, projectId, keyId);
    clock.nowMs += 2 * DAY_MS;
    let last = keyId;
    for (let i = 0; i < 2; i++) {
      last = (await rotateKey(store, projectId, last, 0)).keyId;
      expect((await readKey(store, projectId, last)).expiresAtMs).toBe(clock.nowMs + 3 * DAY_MS);
    }
    // It is no change of the audit's.
    expect(JSON.stringify(await auditOf(gateway, accountId))).not.toContain('lifetime');
    await updateKey(store, projectId, last, { expiresAtMs: 'never' });
    const { keyId: unending } = await rotateKey(store, projectId, last, 0);
    expect(await readKey(store, projectId, unending)).not.toHaveProperty('expiresAtMs');
  });

  test('that comes beside a rotation is the successor’s, too, or refused', async () => {
    const { gateway, keyId, projectId } = await gatewayWithTenant({ lifetimeMs: 2 * DAY_MS });
    const { store, clock } = gateway;
    // Away and back: the same end, which another lifetime leads to.
    before(gateway, 'TransactWriteItemsCommand', async () => {
      clock.nowMs += DAY_MS;
      await updateKey(store, projectId, keyId, { expiresAtMs: 'never' });
      await updateKey(store, projectId, keyId, { expiresAtMs: NOW_MS + 2 * DAY_MS });
    });
    const { keyId: next } = await rotateKey(store, projectId, keyId, 0);
    expect((await readKey(store, projectId, next)).expiresAtMs).toBe(NOW_MS + 2 * DAY_MS);
  });

  test('is refused for a replaced key, whose end the rotation has set', async () => {
    const { gateway, keyId, projectId } = await gatewayWithTenant();
    await rotateKey(gateway.store, projectId, keyId, DAY_MS);
    const never = updateKey(gateway.store, projectId, keyId, { expiresAtMs: 'never' });
    await expect(never).rejects.toMatchObject({ code: 'KEY_NOT_ACTIVE' });
  });
});

type Change = (store: AccountStore, of: Awaited<ReturnType<typeof tenant>>) => Promise<unknown>;

const iso = (epochMs: number) => new Date(epochMs).toISOString();

describe('the expiry of a key', () => {
  test('is never moved later unless that is asked for, and never back from the end', async () => {
    const { store, clock } = testGateway();
    const { keyId, projectId } = await tenant({ store }, { lifetimeMs: DAY_MS });
    const expire = (inMs: number, extend?: boolean) => expireKey(store, projectId, keyId, { inMs }, extend);
    await expect(expire(2 * DAY_MS)).rejects.toThrow(
      `Key ${keyId} expires earlier, at ${iso(NOW_MS + DAY_MS)}; only --extend sets a later end.`,
    );
    expect(await expire(2 * DAY_MS, true)).toMatchObject({ expiresAtMs: NOW_MS + 2 * DAY_MS });
    expect(await expire(MINUTE_MS)).toMatchObject({ expiresAtMs: NOW_MS + MINUTE_MS });
    clock.nowMs += MINUTE_MS;
    await expect(expire(DAY_MS, true)).rejects.toThrow(`Key ${keyId} has expired; create a new one.`);
    expect(await readKey(store, projectId, keyId)).toMatchObject({ expiresAtMs: NOW_MS + MINUTE_MS });
  });

  test('is not set in the past, nor for a key that was revoked, also meanwhile', async () => {
    const gateway = testGateway();
    const { store } = gateway;
    const { keyId, projectId } = await tenant(gateway);
    await expect(expireKey(store, projectId, keyId, { atMs: NOW_MS - 1 })).rejects.toMatchObject({
      message: `${iso(NOW_MS - 1)} has passed; nothing was changed.`,
      code: 'INVALID_REQUEST',
    });
    before(gateway, 'TransactWriteItemsCommand', () => revokeKey(store, projectId, keyId));
    await expect(expireKey(store, projectId, keyId, { inMs: DAY_MS })).rejects.toThrow(`Key ${keyId} is revoked`);
    expect(await readKey(store, projectId, keyId)).not.toHaveProperty('expiresAtMs');
  });
});

describe('a change', () => {
  test('of a project’s name leaves its quota and its shards', async () => {
    const { store } = testGateway();
    for (const was of [{ quotaLimit: 7, shards: 4 }, { quotaLimit: undefined }]) {
      const { projectId } = await tenant({ store }, was);
      const { quotaLimit, shards } = await updateProject(store, projectId, { name: 'New' });
      expect({ quotaLimit, shards }).toEqual(was);
      const { name, ...stored } = await readProject(store, projectId);
      expect([name, stored.quotaLimit, stored.shards]).toEqual(['New', was.quotaLimit, was.shards]);
    }
  });

  test('of a project’s shards to one leaves a project without any', async () => {
    const { store } = testGateway();
    const { projectId } = await tenant({ store }, { shards: 4 });
    await updateProject(store, projectId, { shards: 1 });
    expect(await readProject(store, projectId)).not.toHaveProperty('shards');
  });

  test.each<[string, (store: AccountStore, id: string) => Promise<unknown>]>([
    ['account', (store, accountId) => updateAccount(store, accountId, { name: 'New' })],
    ['account', (store, accountId) => createProject(store, { accountId, name: 'P', quotaLimit: undefined })],
    ['project', (store, projectId) => updateProject(store, projectId, { quota: 7 })],
    ['project', (store, projectId) => suspendProject(store, projectId)],
    ['project', (store, projectId) => updateKey(store, projectId, 'key_x', { rpm: 1 })],
  ])('of what is not there is refused and makes nothing: %s %#', async (what, change) => {
    const { store } = testGateway();
    const id = randomUUID();
    await expect(change(store, id)).rejects.toThrow(`There is no ${what} ${id}.`);
    expect(await Array.fromAsync(listAccountProjects(store, id))).toEqual([]);
    await expect(readProject(store, id)).rejects.toThrow(`There is no project ${id}.`);
    await expect(readAccount(store, id)).rejects.toThrow(`There is no account ${id}.`);
  });

  test('of a key that is not there is refused, and so is a look at it', async () => {
    const { store } = testGateway();
    const { projectId } = await tenant({ store });
    const line = `There is no key key_x in project ${projectId}.`;
    await expect(revokeKey(store, projectId, 'key_x')).rejects.toThrow(line);
    await expect(readKey(store, projectId, 'key_x')).rejects.toThrow(line);
  });

  test('of a key that only its reference is left of is refused, and so is a look at it', async () => {
    const { store } = testGateway();
    const { projectId, keyId } = await tenant({ store });
    const { pk, sk } = await readKey(store, projectId, keyId);
    await deleteItem(store, { pk, sk });
    const line = `Key ${keyId} was changed meanwhile; try again.`;
    await expect(revokeKey(store, projectId, keyId)).rejects.toThrow(line);
    await expect(readKey(store, projectId, keyId)).rejects.toThrow(line);
  });

  test.each<[string, Change, Change, object]>([
    [
      'account',
      (store, { accountId }) => updateAccount(store, accountId, { name: 'Mine' }),
      (store, { accountId }) => updateAccount(store, accountId, { email: 'other@example.com' }),
      { name: 'Mine', email: 'other@example.com' },
    ],
    [
      'project',
      (store, { projectId }) => updateProject(store, projectId, { name: 'Mine' }),
      (store, { projectId }) => updateProject(store, projectId, { quota: 5 }),
      { name: 'Mine', quotaLimit: 5 },
    ],
    [
      'key, given another limit',
      (store, { projectId, keyId }) => updateKey(store, projectId, keyId, { name: 'Mine' }),
      (store, { projectId, keyId }) => updateKey(store, projectId, keyId, { rpm: 7 }),
      { name: 'Mine', rpm: 7 },
    ],
    [
      'key, rotated',
      (store, { projectId, keyId }) => revokeKey(store, projectId, keyId),
      (store, { projectId, keyId }) => rotateKey(store, projectId, keyId, MINUTE_MS),
      { status: 'revoked', replacedBy: expect.any(String), expiresAtMs: NOW_MS + MINUTE_MS },
    ],
  ])('is answered with what others changed meanwhile, too: %s', async (_what, change, meanwhile, expected) => {
    const gateway = testGateway();
    const of = await tenant(gateway);
    before(gateway, 'TransactWriteItemsCommand', () => meanwhile(gateway.store, of));
    expect(await change(gateway.store, of)).toMatchObject(expected);
  });

  test('that meets another transaction is made all the same, and given up after six attempts', async () => {
    const { gateway, accountId } = await gatewayWithTenant();
    const conflict = () => Promise.reject(cancelled('None', 'TransactionConflict'));
    const create = () => createProject(gateway.store, { accountId, name: 'P', quotaLimit: 1 });
    before(gateway, 'TransactWriteItemsCommand', conflict, 6 + 5);
    await expect(create()).rejects.toThrow(StoreBusyError);
    expect(await readProject(gateway.store, await create())).toMatchObject({ quotaLimit: 1 });
    expect(await Array.fromAsync(listAccountProjects(gateway.store, accountId))).toHaveLength(2);
  });

  // The SDK's repeat of the first attempt reported a conflict. DynamoDB applies a transaction item by item.
  test('that meets its own first attempt half applied is answered as made', async () => {
    const gateway = testGateway();
    const { accountId } = await ownAccount(gateway);
    const { memberId } = await join(gateway, accountId, 'member');
    const answers = [
      cancelled('TransactionConflict'),
      cancelled('ConditionalCheckFailed', 'None', 'None', 'TransactionConflict'),
    ];
    gateway.operatorClient.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const isFirst = answers.length === 2;
          const answer = commandName === 'TransactWriteItemsCommand' ? answers.shift() : undefined;
          if (!answer) return next(args);
          if (isFirst) await next(args);
          throw answer;
        },
      { step: 'initialize', name: 'halfApplied' },
    );
    await removeMember(gateway.store, accountId, memberId);
  });
});

test('of a change without time for another attempt names the part that was changed meanwhile', async () => {
  const gateway = testGateway();
  const { accountId } = await ownAccount(gateway);
  const ada = await join(gateway, accountId, 'member');
  const guest = await person(gateway);
  const projectId = await createProject(gateway.store, { accountId, name: 'P', quotaLimit: 1 });
  const key = { projectId, ...KEY };
  const { keyId } = await createKey(gateway.store, key);
  const invite = (email: string) => inviteMember(store, accountId, { email, role: 'member' });
  const identity = { issuer: 'tests', subject: randomUUID(), emailVerified: true };
  const signInAda = { limits: { idleMs: DAY_MS, absoluteMs: DAY_MS }, perMinute: 100, browser: 'Firefox' };
  const known = await findOrMakePerson(gateway.store, identity);
  const store = { ...gateway.store, deadline: Object.assign(new AbortController().signal, { leftMs: () => 0 }) };
  const invited = await invite(guest.profile.email);
  /** Another instance, which does not remember whose minute was full. */
  const instance = () => ({ ...store, client: Object.create(store.client) as typeof store.client });
  const inHandsOf = ({ userId }: { userId: string }) =>
    asPerson(instance(), { userId, identityHash: 'h', limits: DEFAULT_LIMITS });

  /** The changed parts that the errors name, when the condition of one write fails, for each of the writes. */
  const partsIn = async (change: () => Promise<unknown>) => {
    const messages = new Set<string>();
    let writes = 1;
    for (let failing = 0; failing < writes; failing++) {
      store.client.middlewareStack.add(
        (next, { commandName }) =>
          (args) => {
            if (commandName !== 'TransactWriteItemsCommand') return next(args);
            const { TransactItems = [] } = args.input as TransactWriteCommandInput;
            // A refusal is counted in a separate transaction.
            writes = Math.max(writes, TransactItems.length);
            throw cancelled(...TransactItems.map((_, i) => (i === failing ? 'ConditionalCheckFailed' : 'None')));
          },
        { step: 'initialize', name: 'failing' },
      );
      const error = await change().catch((refusal: unknown) => refusal);
      store.client.middlewareStack.remove('failing');
      if (error instanceof StaleError) messages.add(error.message.replace(' was changed meanwhile; try again.', ''));
    }
    return [...messages];
  };
  const project = `Project ${projectId}`;
  const account = `Account ${accountId}`;
  const team = `The team of account ${accountId}`;
  const changes: Record<string, readonly [() => Promise<unknown>, ...string[]]> = {
    'rename an account': [() => updateAccount(store, accountId, { name: 'New' }), account],
    'rename a project': [() => updateProject(store, projectId, { name: 'New' }), project],
    'close a project': [() => closeProject(store, projectId), project],
    'create a key': [() => createKey(store, key)],
    'rename a key': [() => updateKey(store, projectId, keyId, { name: 'New' }), `Key ${keyId}`],
    'rotate a key': [() => rotateKey(store, projectId, keyId, 0), `Key ${keyId}`],
    'change a role': [() => updateMember(store, accountId, ada.memberId, 'owner'), `Member ${ada.memberId}`],
    'remove a member': [() => removeMember(store, accountId, ada.memberId), `Member ${ada.memberId}`],
    'withdraw an invitation': [() => removeMember(store, accountId, invited), `Member ${invited}`],
    'sign a member out': [() => signOutMember(store, accountId, ada.memberId), `Member ${ada.memberId}`],
    invite: [() => invite('new@example.com'), team],
    accept: [() => acceptInvitation(inHandsOf(guest), accountId, guest.profile), `Member ${invited}`],
    decline: [() => declineInvitation(inHandsOf(guest), accountId, guest.profile), `Member ${invited}`],
    'delete a profile': [() => deleteProfile(inHandsOf(ada), ada), `User ${ada.userId}`, `Member ${ada.memberId}`],
    'sign in': [() => signIn(instance(), identity, signInAda), `User ${known}`],
    'sign in first': [() => signIn(instance(), { ...identity, subject: randomUUID() }, signInAda), 'This person'],
    'close an account': [
      () => closeAccount(store, accountId),
      ...[account, project],
      ...Object.keys(await membershipStatesIn(gateway, accountId)).map((memberId) => `Member ${memberId}`),
    ],
  };
  for (const [name, [change, ...parts]] of Object.entries(changes)) {
    expect([name, ...(await partsIn(change)).sort()]).toEqual([name, ...parts.sort()]);
  }
  gateway.clock.nowMs += 14 * DAY_MS;
  expect(await partsIn(() => invite(guest.profile.email))).toEqual([team, `Member ${invited}`]);
  // With time for only one more attempt the change is made.
  const deadline = Object.assign(new AbortController().signal, { leftMs: () => REQUEST_TIMEOUT_MS });
  before(gateway, 'TransactWriteItemsCommand', () => updateAccount(gateway.store, accountId, { name: 'Other' }));
  const waits: unknown[] = [];
  const sleep: AccountStore['sleep'] = (...asked) => {
    waits.push(asked[1]);
    return store.sleep(...asked);
  };
  await updateAccount({ ...store, deadline, sleep }, accountId, { name: 'Mine' });
  // The wait also ends with the deadline.
  expect(waits.map((signal) => signal === deadline)).toEqual([true]);
});

test('the last use of a key is known to the minute, from the writes that requests make anyway', async () => {
  const { gateway, key, keyId, projectId } = await gatewayWithTenant();
  expect(await readKey(gateway.store, projectId, keyId)).not.toHaveProperty('window');
  const { commands } = recordCalls(gateway.client);
  await gateway.ping(key);
  expect(commands.sort()).toEqual(['BatchGetItem', 'TransactWriteItems', 'UpdateItem']);
  const { window = 0 } = await readKey(gateway.store, projectId, keyId);
  expect(window * MINUTE_MS).toBe(NOW_MS - 30_000);
});

describe('the lists of accounts and projects', () => {
  test('hold every one, page after page, in the order of their ids', async () => {
    const { store: own } = await ownTables();
    const details = { name: 'A', email: 'a@example.com' };
    const accountIds = await Promise.all(Array.from({ length: 5 }, () => createAccount(own, details)));
    const projects = await Promise.all(
      accountIds.map(async (accountId) => ({
        accountId,
        projectId: await createProject(own, { accountId, name: 'P', quotaLimit: 1 }),
      })),
    );
    itemsPerPage(own, 2);
    const accounts = await Array.fromAsync(readAccounts(own));
    expect(accounts.map(({ accountId, name }) => [accountId, name])).toEqual(accountIds.sort().map((id) => [id, 'A']));
    const found = await Array.fromAsync(readProjects(own, accountIds));
    const byAccount = projects.sort((a, b) => (a.accountId < b.accountId ? -1 : 1));
    expect(found.map(({ projectId }) => projectId)).toEqual(byAccount.map(({ projectId }) => projectId));
  });
});
