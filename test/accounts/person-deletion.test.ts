import { randomUUID } from 'node:crypto';
import { paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { closeAccount } from '../../functions/accounts/projects/account-closing.ts';
import { accountItemKey, invitationPartition } from '../../functions/accounts/store/account-items.ts';
import { createAccount, updateAccount } from '../../functions/accounts/team/accounts.ts';
import { signIn } from '../../functions/accounts/people/identities.ts';
import { acceptInvitation } from '../../functions/accounts/team/invitation-answers.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { updateMember } from '../../functions/accounts/team/members.ts';
import { createOwnAccount } from '../../functions/accounts/team/own-accounts.ts';
import { createOwnedAccount } from '../../functions/accounts/team/owned-accounts.ts';
import { findPersonData } from '../../functions/accounts/people/person-data.ts';
import { deletePersonData } from '../../functions/accounts/people/person-deletion.ts';
import { MAX_LEFT_AT_ONCE } from '../../functions/accounts/people/profile.ts';
import { StoreUnavailableError } from '../../functions/shared/http/errors.ts';
import { LOCAL_TABLES } from '../../local/settings.ts';
import { createTable } from '../../local/tables.ts';
import { itemsPerPage } from '../support/books-by-hand.ts';
import { testDatabase } from '../support/database.ts';
import { IS_FULL } from '../support/extent.ts';
import { testGateway as onSharedTable, type TestGateway } from '../support/gateway.ts';
import { before } from '../support/overtaking.ts';
import {
  auditOf,
  itemsOf,
  join,
  listOwnInvitations,
  membershipStatesIn,
  ownAccount,
  person,
} from '../support/people.ts';
import { MINUTE_MS } from '../support/times.ts';

const ISSUER = 'tests';
const SIGN_IN = {
  browser: 'Firefox',
  idToken: 'token',
  perMinute: 100,
  limits: { idleMs: 60 * MINUTE_MS, absoluteMs: 60 * MINUTE_MS },
};

/** A deletion reads the whole table, and the shared one holds the items of all tests. */
const tables = { ...LOCAL_TABLES, gateway: `Gateway-${randomUUID()}` };
beforeAll(() => createTable(testDatabase().client, tables.gateway));
const testGateway = (): TestGateway => {
  const gateway = onSharedTable();
  return { ...gateway, store: { ...gateway.store, tables } };
};

/** A person with everything that can be stored of one. */
async function everything() {
  const gateway = testGateway();
  const { store } = gateway;
  const subject = randomUUID();
  const email = `Ada-${subject}@example.com`;
  const identity = { issuer: ISSUER, subject, email, emailVerified: true, name: `Ada ${subject}` };
  const { userId } = await signIn(store, identity, SIGN_IN);
  const { accountId, owner } = await ownAccount(gateway);
  const ada = { ...(await person(gateway)), userId, profile: identity };
  const asAda = {
    ...ada.store,
    caller: { ...(ada.store.caller as object), userId },
    actor: () => Promise.resolve(`user:${userId}`),
  };
  await inviteMember(store, accountId, { email, role: 'owner' });
  await acceptInvitation(asAda as never, accountId, identity);
  const membership = (await itemsOf(gateway, `USER#${userId}`)).find(({ sk }) => sk === `ACCOUNT#${accountId}`);
  const inAccount = {
    ...asAda,
    caller: { ...asAda.caller, membership: { accountId, memberId: membership?.memberId } },
  };
  // The person has invited somebody, who sees the name.
  const guest = await person(gateway);
  await inviteMember(inAccount as never, accountId, { email: guest.profile.email, role: 'member' });
  // The person is invited, with the address in another case.
  const inviting = await ownAccount(gateway);
  await inviteMember(inviting.store, inviting.accountId, { email: email.toUpperCase(), role: 'member' });
  // The person owned a closed account, and their address is the contact of an open one.
  const closed = await createOwnAccount(asAda as never, { name: 'Closed', person: identity });
  await inviteMember(store, closed, { email: guest.profile.email, role: 'member' });
  await closeAccount(store, closed);
  await updateAccount(store, inviting.accountId, { email });
  // The person is invited to a closed account.
  const over = await ownAccount(gateway);
  await inviteMember(over.store, over.accountId, { email, role: 'member' });
  await closeAccount(store, over.accountId);
  return { gateway, store, userId, email, identity, accountId, owner, guest, inviting, closed, over, asAda };
}
type Scene = Awaited<ReturnType<typeof everything>>;

/** The keys of the table's items that contain a text. */
async function itemsWith({ store: { client, tables } }: TestGateway, text: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName: tables.gateway, ConsistentRead: true })) {
    for (const { pk, sk, ...item } of Items as { pk: string; sk: string }[]) {
      if (`${pk} ${sk} ${JSON.stringify(item)}`.toLowerCase().includes(text.toLowerCase())) found.push(`${pk} ${sk}`);
    }
  }
  return found;
}
const deletion = async ({ store, email }: Pick<Scene, 'store' | 'email'>) =>
  deletePersonData(store, await findPersonData(store, email));

/** Checks that only audit events remain, with an id that names nobody. */
async function expectGone({ gateway, userId, email, identity, accountId, closed, inviting, over, guest }: Scene) {
  expect(await itemsWith(gateway, identity.subject)).toEqual([]);
  expect((await itemsWith(gateway, userId)).filter((name) => !name.includes(' AUDIT#'))).toEqual([]);
  expect(await itemsOf(gateway, invitationPartition(email))).toEqual([]);
  expect(Object.values(await membershipStatesIn(gateway, accountId)).sort()).toEqual([
    'active owner',
    'invited member',
  ]);
  expect(Object.values(await membershipStatesIn(gateway, closed))).toEqual(['invited member']);
  expect(Object.values(await membershipStatesIn(gateway, inviting.accountId))).toEqual(['active owner']);
  expect(Object.values(await membershipStatesIn(gateway, over.accountId))).toEqual(['active owner']);
  // Invitations by the person remain, without the name.
  const invitations = await listOwnInvitations(guest.store, guest.profile);
  expect(invitations).toMatchObject([{ accountId, invitedBy: 'an owner', invitedByKind: 'person' }]);
}

describe('a person who is deleted on request', () => {
  test('is found whole by the address, in either case', async () => {
    const { store, userId, email, accountId, inviting, closed, over } = await everything();
    const data = await findPersonData(store, email.toLowerCase());
    expect(data.people).toMatchObject([{ user: { userId, email }, sessions: 1 }]);
    const at = data.memberships.map(({ accountId: of, isOpen, member }) => `${of} ${isOpen} ${member.status}`);
    expect(at.sort()).toEqual(
      [
        `${accountId} true active`,
        `${inviting.accountId} true invited`,
        `${closed} false active`,
        `${over.accountId} false invited`,
      ].sort(),
    );
    expect(new Set(data.held.map((held) => held.accountId))).toEqual(new Set([inviting.accountId, over.accountId]));
    expect(data.made).toHaveLength(2);
    expect(data.accounts.map((account) => account.accountId).sort()).toEqual([inviting.accountId, closed].sort());
  });

  test('is found whole by the address though it has more invitations than one page of them', async () => {
    const { gateway, store, email } = await everything();
    const more = await ownAccount(gateway);
    await inviteMember(more.store, more.accountId, { email, role: 'member' });
    const { held } = await findPersonData(store, email);
    expect(held.length).toBeGreaterThan(3);
    const paged = { ...store, client: testGateway().store.client };
    itemsPerPage(paged, 1);
    expect((await findPersonData(paged, email)).held).toEqual(held);
  });

  test('is gone, but for what they did under an id without a person; again changes nothing', async () => {
    const scene = await everything();
    await deletion(scene);
    await expectGone(scene);
    const { gateway, accountId, userId } = scene;
    const events = await auditOf(scene, accountId);
    expect(events.filter(({ action }) => action === 'member.remove')).toEqual([
      expect.objectContaining({ userId, before: { role: 'owner', status: 'active' }, after: null }),
    ]);
    expect(events.some(({ actor }) => actor === `user:${userId}`)).toBe(true);
    await deletion(scene);
    expect(await auditOf(scene, accountId)).toEqual(events);
    const left = await findPersonData(gateway.store, scene.email);
    expect([left.people, left.memberships, left.held, left.made, left.accounts]).toEqual([[], [], [], [], []]);
  });

  test('is refused as the last owner of an open account, before anything is changed', async () => {
    const gateway = testGateway();
    const { owner, accountId } = await ownAccount(gateway);
    const other = await ownAccount(gateway);
    await inviteMember(other.store, other.accountId, { email: owner.profile.email, role: 'member' });
    const items = await itemsWith(gateway, owner.profile.email);
    await expect(deletion({ store: gateway.store, email: owner.profile.email })).rejects.toMatchObject({
      code: 'LAST_OWNER',
      accounts: [{ accountId, name: 'Team' }],
    });
    expect(await itemsWith(gateway, owner.profile.email)).toEqual(items);
  });

  test('leaves more accounts than one transaction holds', async () => {
    const gateway = testGateway();
    const ada = await person(gateway);
    for (let i = 0; i <= MAX_LEFT_AT_ONCE; i++) {
      const accountId = await createAccount(gateway.store, { name: 'A', email: 'a@example.com' });
      await inviteMember(gateway.store, accountId, { email: ada.profile.email, role: 'member' });
      await acceptInvitation(ada.store, accountId, ada.profile);
    }
    await deletion({ store: gateway.store, email: ada.profile.email });
    expect(await itemsOf(gateway, `USER#${ada.userId}`)).toEqual([]);
    expect(await itemsWith(gateway, ada.profile.email)).toEqual([]);
  });

  test('is not the person who has the address in an account and signs in with another one: each is distinguished', async () => {
    const gateway = testGateway();
    const { accountId } = await ownAccount(gateway);
    const ada = await join(gateway, accountId, 'member');
    const { email } = ada.profile;
    const Key = accountItemKey.user(ada.userId);
    const ExpressionAttributeValues = { ':email': `${randomUUID()}@example.com` };
    const { client, tables } = gateway.store;
    await client.send(
      new UpdateCommand({
        TableName: tables.gateway,
        Key,
        UpdateExpression: 'SET email = :email',
        ExpressionAttributeValues,
      }),
    );
    const bob = await person(gateway, { email });
    const { people } = await findPersonData(gateway.store, email);
    expect(people.map(({ user }) => user.userId).sort()).toEqual([ada.userId, bob.userId].sort());
  });
});

describe('a person who is deleted while', () => {
  /** Runs an action right before the transaction that deletes the person. */
  const beforeTheLast = (scene: Scene, meanwhile: () => Promise<unknown>) => {
    const { client } = scene.store;
    let done = false;
    client.middlewareStack.add(
      (next, context) => async (args) => {
        const isLast =
          context.commandName === 'TransactWriteItemsCommand' && JSON.stringify(args.input).includes('"IDENTITY#');
        if (isLast && !done) {
          done = true;
          await meanwhile();
        }
        return next(args);
      },
      { step: 'initialize', name: 'beforeTheLast' },
    );
  };

  test('they sign in, has no session and no profile then', async () => {
    const scene = await everything();
    const other = testGateway();
    beforeTheLast(scene, () => signIn(other.store, scene.identity, SIGN_IN));
    await deletion(scene);
    await expectGone(scene);
  });

  test('they accept an invitation, leaves that account, too', async () => {
    const scene = await everything();
    const other = await ownAccount(testGateway());
    await inviteMember(other.store, other.accountId, { email: scene.email, role: 'member' });
    beforeTheLast(scene, () =>
      acceptInvitation(
        { ...scene.asAda, client: testGateway().store.client } as never,
        other.accountId,
        scene.identity,
      ),
    );
    // The search ran before the invitation.
    await deletePersonData(scene.store, {
      ...(await findPersonData(scene.store, scene.email)),
      memberships: [],
      held: [],
    });
    expect(await itemsOf(scene.gateway, `USER#${scene.userId}`)).toEqual([]);
    expect(Object.values(await membershipStatesIn(scene.gateway, other.accountId))).toEqual(['active owner']);
    await deletion(scene);
    await expectGone(scene);
  });

  test('they are made the last owner, is refused, and deleted when there is another one', async () => {
    const scene = await everything();
    const { gateway, accountId, userId, owner } = scene;
    const others = (await itemsOf(gateway, `ACCOUNT#${accountId}`)).filter(({ sk }) =>
      String(sk).startsWith('MEMBER#'),
    );
    const ofOwner = others.find((member) => member.userId === owner.userId);
    const operator = testGateway().store;
    beforeTheLast(scene, () => updateMember(operator, accountId, String(ofOwner?.memberId), 'member'));
    await expect(deletion(scene)).rejects.toMatchObject({ code: 'LAST_OWNER' });
    expect((await itemsOf(gateway, `USER#${userId}`)).length).toBeGreaterThan(0);
    await updateMember(operator, accountId, String(ofOwner?.memberId), 'owner');
    await deletion(scene);
    await expectGone(scene);
  });

  test('another one deletes them, is deleted once', async () => {
    const scene = await everything();
    const other = { ...scene, store: testGateway().store };
    await Promise.all([deletion(scene), deletion(other)]);
    await expectGone(scene);
    expect(await auditOf(scene, scene.accountId, 'member.remove')).toHaveLength(1);
  });
});

const WRITES = /^(TransactWriteItems|UpdateItem|DeleteItem|Update|Delete|TransactWrite)Command$/;

test('a deletion that dies at any of its writes, before or after it, is completed by the same again', async () => {
  /** Stops at the nth write. Returns whether there was one. */
  const diesAt = async ({ store, email }: Scene, nth: number, isApplied: boolean): Promise<boolean> => {
    const { client } = testGateway().store;
    let writes = 0;
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (!WRITES.test(context.commandName ?? '')) return next(args);
        if (writes >= nth) throw new Error('dead');
        if (++writes < nth) return next(args);
        if (isApplied) await next(args);
        throw new Error('dead');
      },
      { step: 'initialize', name: 'dies' },
    );
    const dying = { ...store, client };
    return deletion({ store: dying, email }).then(
      () => false,
      () => true,
    );
  };
  let tried = 0;
  for (const isApplied of IS_FULL ? [false, true] : [true]) {
    for (let nth = 1; ; nth += IS_FULL ? 1 : 3) {
      const scene = await everything();
      const died = await diesAt(scene, nth, isApplied);
      await deletion(scene);
      // Nothing of the person remains, wherever the first attempt stopped.
      await expectGone(scene);
      if (!died) break;
      tried++;
    }
  }
  expect(tried).toBeGreaterThan(IS_FULL ? 16 : 2);
}, 180_000);

test('an account is made with the invitation of its owner, or not at all', async () => {
  const gateway = testGateway();
  const ada = await person(gateway);
  const made = await createOwnedAccount(gateway.store, { name: 'Team', email: null }, ada.profile.email);
  expect(await membershipStatesIn(gateway, made.accountId)).toEqual({ [made.memberId]: 'invited owner' });
  expect(await listOwnInvitations(ada.store, ada.profile)).toMatchObject([
    { accountId: made.accountId, role: 'owner', invitedByKind: 'operator' },
  ]);
  await acceptInvitation(ada.store, made.accountId, ada.profile);
  expect(await membershipStatesIn(gateway, made.accountId)).toEqual({ [made.memberId]: 'active owner' });
  const actions = (await auditOf(gateway, made.accountId)).map(({ action }) => action);
  expect(actions.sort()).toEqual(['account.create', 'member.add', 'member.join']);
  before(gateway, 'TransactWriteItemsCommand', () => Promise.reject(new Error('dead')));
  const { profile } = await person(testGateway());
  await expect(createOwnedAccount(gateway.store, { name: 'T', email: null }, profile.email)).rejects.toThrow('dead');
  expect(await itemsWith(gateway, profile.email)).toHaveLength(1);
  await expect(
    createOwnedAccount(gateway.store, { name: 'T', email: null }, 'ad\u212aa@example.com'),
  ).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
});

test('a store that is away while the table is read is told as such', async () => {
  const gateway = testGateway();
  const away = () => Promise.reject(Object.assign(new Error('no answer'), { name: 'TimeoutError' }));
  before(gateway, 'ScanCommand', away, Infinity);
  await expect(findPersonData(gateway.store, 'ada@example.com')).rejects.toBeInstanceOf(StoreUnavailableError);
});
