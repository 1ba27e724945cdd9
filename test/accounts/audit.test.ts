import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { createAccount, updateAccount } from '../../functions/accounts/team/accounts.ts';
import { createKey, expireKey, revokeKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import {
  createProject,
  resumeProject,
  suspendProject,
  updateProject,
} from '../../functions/accounts/projects/projects.ts';
import { readProject } from '../../functions/accounts/projects/stored-projects.ts';
import { ACTOR, gatewayWithTenant, tenant, testGateway, type TestGateway } from '../support/gateway.ts';
import { before } from '../support/overtaking.ts';
import { auditOf } from '../support/people.ts';
import { DAY_MS, MINUTE_MS, NOW_MS } from '../support/times.ts';

const iso = (epochMs: number) => new Date(epochMs).toISOString();

/** The events of an account after its project and key were created. */
const changesOf = async (gateway: TestGateway, accountId: string) =>
  (await auditOf(gateway, accountId)).filter(({ action }) => !action.endsWith('.create'));

describe('the audit of an account', () => {
  test('tells of everything that is made in it: who, when, what, and nothing of people', async () => {
    const gateway = testGateway();
    const { store, clock } = gateway;
    const accountId = await createAccount(store, { name: 'Ada Lovelace', email: 'ada@example.com' });
    clock.nowMs += 1;
    const projectId = await createProject(store, { accountId, name: 'P', quotaLimit: undefined });
    clock.nowMs += 1;
    const details = { projectId, mode: 'test', scopes: new Set(['a', 'b']), rpm: 7, lifetimeMs: DAY_MS } as const;
    const { keyId } = await createKey(store, details);
    clock.nowMs += 1;
    const memberId = await inviteMember(store, accountId, { email: 'ada@example.com', name: 'Ada', role: 'owner' });
    const common = (offsetMs: number) => ({ at: iso(NOW_MS + offsetMs), actor: ACTOR, accountId, before: null });
    const key = { name: null, mode: 'test', scopes: ['a', 'b'], rpm: 7, expiresAt: iso(NOW_MS + 2 + DAY_MS) };
    expect(await auditOf(gateway, accountId)).toEqual([
      { ...common(0), action: 'account.create', after: {} },
      { ...common(1), action: 'project.create', projectId, after: { name: 'P', quotaLimit: null, status: 'active' } },
      { ...common(2), action: 'key.create', projectId, keyId, after: { ...key, status: 'active' } },
      { ...common(3), action: 'member.add', memberId, after: { role: 'owner', status: 'invited' } },
    ]);
  });

  test('tells of every change what was before and after, and only of what changed', async () => {
    const gateway = testGateway();
    const { store, clock } = gateway;
    const { accountId, projectId, keyId } = await tenant(gateway, { rpm: 60, name: 'CI' });
    const dayEnd = NOW_MS + DAY_MS;
    const person = { name: 'changed', email: 'changed' };
    const changes = [
      {
        run: () => updateProject(store, projectId, { quota: 5, name: 'Test' }),
        recorded: ['project.update', { quotaLimit: 10_000 }, { quotaLimit: 5 }],
      },
      {
        run: () => updateProject(store, projectId, { quota: 'none', name: 'New' }),
        recorded: ['project.update', { quotaLimit: 5, name: 'Test' }, { quotaLimit: null, name: 'New' }],
      },
      {
        run: () => suspendProject(store, projectId),
        recorded: ['project.suspend', { status: 'active' }, { status: 'suspended' }],
      },
      {
        run: () => resumeProject(store, projectId),
        recorded: ['project.resume', { status: 'suspended' }, { status: 'active' }],
      },
      {
        run: () => updateKey(store, projectId, keyId, { rpm: 61 }),
        recorded: ['key.update', { rpm: 60 }, { rpm: 61 }],
      },
      {
        run: () => updateKey(store, projectId, keyId, { name: 'X' }),
        recorded: ['key.update', { name: 'CI' }, { name: 'X' }],
      },
      {
        run: () => expireKey(store, projectId, keyId, { atMs: dayEnd }),
        recorded: ['key.expire', { expiresAt: null }, { expiresAt: iso(dayEnd) }],
      },
      {
        run: () => revokeKey(store, projectId, keyId),
        recorded: [
          'key.revoke',
          { status: 'active', revokedAt: null },
          { status: 'revoked', revokedAt: iso(NOW_MS + 7_999) },
        ],
      },
      {
        run: () => updateAccount(store, accountId, { name: 'N', email: 'n@example.com' }),
        recorded: ['account.update', person, person],
      },
    ];
    for (const { run } of changes) {
      clock.nowMs += 999;
      await run();
      // A repeat is no change and has no event.
      clock.nowMs += 1;
      await run();
    }
    const found = await changesOf(gateway, accountId);
    expect(found.map(({ action, before: was, after }) => [action, was, after])).toEqual(
      changes.map(({ recorded }) => recorded),
    );
    expect(new Set(found.map(({ actor }) => actor))).toEqual(new Set([ACTOR]));
    for (const event of found.filter(({ action }) => action.startsWith('key.'))) {
      expect(event).toMatchObject({ accountId, projectId, keyId });
    }
  });

  test('of a rotation names the new key at the old one, and tells of both', async () => {
    const { gateway, accountId, projectId, keyId } = await gatewayWithTenant();
    gateway.clock.nowMs += 1_000;
    const { keyId: newKeyId } = await rotateKey(gateway.store, projectId, keyId, MINUTE_MS);
    const events = (await auditOf(gateway, accountId)).filter(({ at }) => at === iso(NOW_MS + 1_000));
    const after = { expiresAt: iso(NOW_MS + 1_000 + MINUTE_MS), replacedBy: newKeyId };
    expect(events.sort((a, b) => (a.action < b.action ? -1 : 1))).toEqual([
      expect.objectContaining({ action: 'key.create', keyId: newKeyId, before: null }),
      expect.objectContaining({ action: 'key.rotate', keyId, before: { expiresAt: null }, after }),
    ]);
  });

  test('of a rotation tells of no expiry that stays as it is', async () => {
    const { gateway, accountId, projectId, keyId } = await gatewayWithTenant({ lifetimeMs: MINUTE_MS });
    const { keyId: replacedBy } = await rotateKey(gateway.store, projectId, keyId, DAY_MS);
    expect(await changesOf(gateway, accountId)).toMatchObject([{ action: 'key.rotate', keyId }]);
    const [{ before: was, after } = {}] = await changesOf(gateway, accountId);
    expect([was, after]).toEqual([{}, { replacedBy }]);
  });
});

describe('a change and its audit event', () => {
  test('are written together or not at all', async () => {
    const { gateway, accountId, projectId, keyId } = await gatewayWithTenant();
    // The clock does not move: the second event has the key of the first and must not replace it.
    const store = { ...gateway.store, newId: () => 'same' };
    await updateProject(store, projectId, { quota: 1 });
    for (const change of [
      () => updateProject(store, projectId, { quota: 2 }),
      () => createProject(store, { accountId, name: 'P', quotaLimit: 0 }),
      () => inviteMember(store, accountId, { email: 'a@b.co', name: 'A', role: 'owner' }),
    ]) {
      await expect(change()).rejects.toThrow(TransactionCanceledException);
    }
    // Its two events would have the same key, which no transaction allows.
    await expect(rotateKey(store, projectId, keyId, 0)).rejects.toThrow();
    expect(await readProject(store, projectId)).toMatchObject({ quotaLimit: 1 });
    expect((await changesOf(gateway, accountId)).map(({ after }) => after)).toEqual([{ quotaLimit: 1 }]);
  });

  test('are not written when it cannot be said who makes it', async () => {
    const { gateway, accountId, projectId } = await gatewayWithTenant();
    const store = { ...gateway.store, actor: () => Promise.reject(new Error('nobody')) };
    await expect(suspendProject(store, projectId)).rejects.toThrow('nobody');
    expect(await readProject(store, projectId)).toMatchObject({ status: 'active' });
    expect(await changesOf(gateway, accountId)).toEqual([]);
  });
});

describe('two changes at once', () => {
  test('of one attribute are both made, and the audit says what each replaced', async () => {
    const gateway = testGateway();
    const { store, clock } = gateway;
    const { accountId, projectId } = await tenant(gateway);
    before(gateway, 'TransactWriteItemsCommand', async () => {
      await updateProject(store, projectId, { quota: 5 });
      clock.nowMs += 1;
    });
    await updateProject(store, projectId, { quota: 7 });
    expect(await readProject(store, projectId)).toMatchObject({ quotaLimit: 7 });
    expect((await changesOf(gateway, accountId)).map(({ before: was, after }) => [was, after])).toEqual([
      [{ quotaLimit: 10_000 }, { quotaLimit: 5 }],
      [{ quotaLimit: 5 }, { quotaLimit: 7 }],
    ]);
  });
});
