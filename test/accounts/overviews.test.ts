import { describe, expect, test } from '@jest/globals';
import { closeAccount } from '../../functions/accounts/projects/account-closing.ts';
import { createKey } from '../../functions/accounts/keys/api-keys.ts';
import { firstOf } from '../../functions/accounts/team/memberships.ts';
import { listOwnAccounts } from '../../functions/accounts/team/own-accounts.ts';
import { readLastRequest } from '../../functions/usage/events/recent.ts';
import { deleteProfile } from '../../functions/accounts/people/profile.ts';
import { readProjectOverview, readProjectPage } from '../../functions/accounts/projects/project-overviews.ts';
import { closeProject, createProject, suspendProject } from '../../functions/accounts/projects/projects.ts';
import { signOutMember } from '../../functions/accounts/people/users.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { readQuotaUsed } from '../../functions/accounts/projects/stored-projects.ts';
import { StoreUnavailableError } from '../../functions/shared/http/errors.ts';
import { recordCalls } from '../support/database.ts';
import { KEY, testGateway } from '../support/gateway.ts';
import { removeMember } from '../../functions/accounts/team/members.ts';
import { before, interleaved } from '../support/overtaking.ts';
import { auditOf, itemsOf, join, ownAccount } from '../support/people.ts';
import { NOW_MS } from '../support/times.ts';
import { noRequest, oneByOne } from '../support/usage-events.ts';

const PERIOD = '2030-01';
const iso = (epochMs: number) => new Date(epochMs).toISOString();

describe('what people see', () => {
  test('of their projects: quota, units, active keys and last request, in two round trips', async () => {
    const gateway = testGateway();
    const { accountId, store } = await ownAccount(gateway);
    const create = (name: string, quotaLimit?: number) => createProject(store, { accountId, name, quotaLimit });
    const [first, second] = [await create('A', 10), await create('B')];
    const { key } = await createKey(store, { projectId: first, ...KEY });
    await createKey(store, { projectId: first, ...KEY });
    await gateway.ping(key);
    await suspendProject(gateway.store, second);
    const common = { period: PERIOD, createdAt: iso(NOW_MS) };
    const expected = [
      {
        projectId: first,
        name: 'A',
        status: 'active',
        quotaLimit: 10,
        quotaUsed: 1,
        activeKeys: 2,
        lastRequest: iso(NOW_MS),
        ...common,
      },
      {
        projectId: second,
        name: 'B',
        status: 'suspended',
        quotaLimit: null,
        quotaUsed: 0,
        activeKeys: 0,
        lastRequest: null,
        ...common,
      },
    ].sort((a, b) => (a.projectId < b.projectId ? -1 : 1));
    const record = recordCalls(gateway.operatorClient);
    expect((await readProjectPage(store, accountId, PERIOD, readLastRequest)).projects).toEqual(expected);
    expect(record.roundTrips).toBe(2);
    expect(await readProjectOverview(store, first, PERIOD, readLastRequest)).toEqual(
      expected.find(({ name }) => name === 'A'),
    );
    expect(record.roundTrips).toBe(4);
    const { store: others } = await ownAccount(gateway);
    await expect(readProjectOverview(others, first, PERIOD, readLastRequest)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    // Closed after its pointer was read.
    before(gateway, 'BatchGetItemCommand', () => closeProject(gateway.store, second));
    const read = new Set<string>();
    const left = async () => {
      read.clear();
      const { projects } = await readProjectPage(store, accountId, PERIOD, (_store, projectId) => {
        read.add(projectId);
        return noRequest();
      });
      return projects.map(({ projectId }) => projectId);
    };
    expect([await left(), read]).toEqual([[first], new Set([first, second])]);
    // From then on it is not read.
    expect([await left(), read]).toEqual([[first], new Set([first])]);
    // The read ends with its request.
    const deadline = Object.assign(AbortSignal.abort(), { leftMs: () => 0 });
    await expect(readQuotaUsed({ ...store, deadline }, first, PERIOD)).rejects.toThrow(StoreUnavailableError);
  });

  test('of many projects fifty at a time, each in two reads', async () => {
    const gateway = testGateway();
    const { accountId, store } = await ownAccount(gateway);
    const create = () => createProject(gateway.store, { accountId, name: 'P', quotaLimit: 1 });
    const ids = (await Promise.all(Array.from({ length: 60 }, create))).sort();
    const read: string[][] = [];
    let after: string | undefined;
    const record = recordCalls(gateway.operatorClient);
    do {
      const page = await readProjectPage(store, accountId, PERIOD, noRequest, after);
      read.push(page.projects.map(({ projectId }) => projectId));
      after = page.next;
    } while (after !== undefined);
    expect(read).toEqual([ids.slice(0, 50), ids.slice(50)]);
    expect(record.roundTrips).toBe(4);
  });

  test('of their accounts, in two round trips', async () => {
    const gateway = testGateway();
    const { accountId, owner, store } = await ownAccount(gateway);
    const memberId = store.caller?.membership?.memberId;
    const record = recordCalls(gateway.operatorClient);
    const own = [{ accountId, memberId, name: 'Team', role: 'owner' }];
    expect(await listOwnAccounts(gateway.store, owner.userId)).toEqual(own);
    expect(record.roundTrips).toBe(2);
    // Closed after its pointer was read.
    before(gateway, 'BatchGetItemCommand', () => closeAccount(store, accountId));
    expect(await listOwnAccounts(gateway.store, owner.userId)).toEqual([]);
  });

  test('of what anyone can make more of, the first fifty', async () => {
    const all = Array.from({ length: 60 }, (_, i) => i);
    expect(await firstOf(oneByOne(all))).toEqual(all.slice(0, 50));
    expect(await firstOf(oneByOne(all.slice(0, 49)))).toEqual(all.slice(0, 49));
  });
});

describe('a member who is signed out', () => {
  const sinceOf = async (gateway: ReturnType<typeof testGateway>, userId: string) =>
    (await itemsOf(gateway, `USER#${userId}`)).find(({ sk }) => sk === 'USER')?.sessionsSince;

  test('has another time that sessions are held to, each time, and the audit tells who was', async () => {
    const gateway = testGateway();
    const { accountId } = await ownAccount(gateway);
    const { memberId, userId } = await join(gateway, accountId, 'member');
    await signOutMember(gateway.store, accountId, memberId);
    expect(await sinceOf(gateway, userId)).toBe(iso(NOW_MS));
    // At the same time, or by a clock that is behind: it is later all the same.
    gateway.clock.nowMs -= 5;
    await signOutMember(gateway.store, accountId, memberId);
    expect(await sinceOf(gateway, userId)).toBe(iso(NOW_MS + 1));
    // For two at once: a session that begins between the two ends with the second.
    before(gateway, 'TransactWriteItemsCommand', () => signOutMember(gateway.store, accountId, memberId));
    await signOutMember(gateway.store, accountId, memberId);
    expect(await sinceOf(gateway, userId)).toBe(iso(NOW_MS + 3));
    const events = await auditOf(gateway, accountId, 'member.sign-out');
    const recorded = events.map((event) => [event.memberId, event.after?.sessionsSince, event.before?.sessionsSince]);
    expect(recorded.sort()).toEqual([
      [memberId, iso(NOW_MS), null],
      [memberId, iso(NOW_MS + 1), iso(NOW_MS)],
      [memberId, iso(NOW_MS + 2), iso(NOW_MS + 1)],
      [memberId, iso(NOW_MS + 3), iso(NOW_MS + 2)],
    ]);
  });

  test('is one who has accepted: of who is invited nobody is known', async () => {
    const gateway = testGateway();
    const { accountId, store } = await ownAccount(gateway);
    const memberId = await inviteMember(store, accountId, { email: 'b@example.com', role: 'member' });
    await expect(signOutMember(gateway.store, accountId, memberId)).rejects.toThrow(
      `Member ${memberId} has not accepted the invitation: there is nobody to sign out.`,
    );
    await expect(signOutMember(gateway.store, accountId, 'mem_x')).rejects.toThrow('There is no member mem_x');
    // The same for a person who is removed meanwhile: they keep their sessions.
    const leaver = await join(gateway, accountId, 'member');
    before(gateway, 'TransactWriteItemsCommand', () => removeMember(gateway.store, accountId, leaver.memberId));
    await expect(signOutMember(gateway.store, accountId, leaver.memberId)).rejects.toThrow('There is no member');
    expect(await sinceOf(gateway, leaver.userId)).toBeUndefined();
    // The same for a person who deletes their profile after the member was read.
    const ada = await join(gateway, accountId, 'member');
    const signOut = () => signOutMember(gateway.store, accountId, ada.memberId);
    const late = interleaved(gateway.operatorClient, 2, signOut, () => deleteProfile(ada.store, ada));
    await expect(late).rejects.toMatchObject({
      message: `There is no person ${ada.userId}.`,
      code: 'NOT_FOUND',
    });
  });
});
