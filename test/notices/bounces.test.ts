import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import {
  allowInvitations,
  isHeld,
  noteInvitationBounced,
  noteInvitationSent,
} from '../../functions/accounts/team/invitation-bounces.ts';
import { updateMember } from '../../functions/accounts/team/members.ts';
import { createOwnAccount } from '../../functions/accounts/team/own-accounts.ts';
import { onMailEvent } from '../../functions/notices/mail/mail-events.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { listMembers } from '../../functions/accounts/team/stored-members.ts';
import { StoreBusyError } from '../../functions/shared/http/errors.ts';
import { testGateway } from '../support/gateway.ts';
import { MANY_INVITATIONS, mailScene, messageOf, returned } from '../support/mails.ts';
import { before } from '../support/overtaking.ts';
import { itemsOf, join } from '../support/people.ts';
import { DAY_MS } from '../support/times.ts';

async function scene() {
  const made = await mailScene(MANY_INVITATIONS);
  const { gateway, mailer, sender, accountId, store } = made;
  /** Invites somebody by mail; the state of it. With `bounces`, SES tells later that it came back. */
  const invite = async (bounces: boolean, by = store, of = accountId) => {
    gateway.clock.nowMs++;
    const { email, memberId, message } = await made.invite(undefined, by, of);
    await sender.send(message);
    const mail = mailer.taken.findLast(({ to }) => to === email);
    if (bounces && mail) {
      const bounce = returned('Bounce', email, mail.tags);
      await onMailEvent(sender.dependencies, bounce);
      await onMailEvent(sender.dependencies, bounce);
    }
    return made.stateOf(memberId, of);
  };
  return { ...made, invite };
}

test('after five of twenty invitations that came back there are none for a week, of the account and the inviter', async () => {
  const { gateway, mailer, store, owner, invite } = await scene();
  for (let n = 0; n < 4; n++) expect(await invite(true)).toBe('bounced');
  expect(await invite(false)).toBe('sent');
  expect(await invite(true)).toBe('bounced');
  const sent = mailer.taken.length;
  expect(await invite(false)).toBe('held');
  // The person cannot go on in another account either.
  const other = await createOwnAccount(owner.store, { name: 'Other', person: owner.profile });
  const [member] = await Array.fromAsync(listMembers(gateway.store, other));
  const membership = { accountId: other, memberId: member?.memberId ?? '', role: 'owner' } as const;
  const there = { ...store, caller: { ...store.caller, membership } } as AccountStore;
  expect(await invite(false, there, other)).toBe('held');
  expect(mailer.taken).toHaveLength(sent);
  gateway.clock.nowMs += 7 * DAY_MS;
  expect(await invite(false)).toBe('sent');
});

test('the platform team lifts it, for the account and who invited', async () => {
  const { gateway, accountId, invite } = await scene();
  for (let n = 0; n < 5; n++) await invite(true);
  expect(await invite(false)).toBe('held');
  expect(await allowInvitations(gateway.store, accountId)).toBe(true);
  expect(await invite(false)).toBe('sent');
  expect(await allowInvitations(gateway.store, accountId)).toBe(false);
});

test('a lift that fails halfway can be repeated', async () => {
  const { gateway, accountId, invite } = await scene();
  for (let n = 0; n < 5; n++) await invite(true);
  let calls = 0;
  before(
    gateway,
    'DeleteItemCommand',
    () => (++calls < 2 ? Promise.resolve() : Promise.reject(new Error('no database'))),
    2,
  );
  await expect(allowInvitations(gateway.store, accountId)).rejects.toThrow('no database');
  await allowInvitations(gateway.store, accountId);
  expect(await invite(false)).toBe('sent');
});

test('mails to members who verified their address go on', async () => {
  const { gateway, mailer, sender, accountId, invite } = await scene();
  for (let n = 0; n < 5; n++) await invite(true);
  const { memberId, store } = await join(gateway, accountId, 'member');
  gateway.clock.nowMs++;
  await updateMember(gateway.store, accountId, memberId, 'owner');
  const to = { userId: store.caller?.userId ?? '' };
  await sender.send(await messageOf(gateway.store, { accountId, action: 'member.update', to }));
  expect(mailer.taken.at(-1)?.subject).toBe('Your role in an account has changed');
});

test('four of twenty hold nothing, and older ones do not count', async () => {
  const { invite, gateway } = await scene();
  for (let n = 0; n < 4; n++) await invite(true);
  for (let n = 0; n < 10; n++) await invite(false);
  gateway.clock.nowMs += DAY_MS;
  for (let n = 0; n < 10; n++) expect(await invite(false)).toBe('sent');
  expect(await invite(true)).toBe('bounced');
  gateway.clock.nowMs += DAY_MS;
  expect(await invite(false)).toBe('sent');
});

test('of six invitations at once that come back none is forgotten', async () => {
  const { store } = testGateway();
  const causes = [`acc_${randomUUID()}`] as const;
  const ids = Array.from({ length: 6 }, (_, n) => `ntc_${n}`);
  await Promise.all(ids.map((id) => noteInvitationSent(store, causes, id)));
  await Promise.all(ids.map((id) => noteInvitationBounced(store, causes, id)));
  expect(await isHeld(store, causes)).toBe(true);
});

test('an invitation that came back while others are noted without end fails, to be told again', async () => {
  const gateway = testGateway();
  const { store } = gateway;
  const causes = [`acc_${randomUUID()}`] as const;
  await noteInvitationSent(store, causes, 'ntc_0');
  let others = 0;
  before(gateway, 'PutItemCommand', () => noteInvitationSent(store, causes, `ntc_${++others}`), 10);
  await expect(noteInvitationBounced(store, causes, 'ntc_0')).rejects.toThrow(StoreBusyError);
  await noteInvitationBounced(store, causes, 'ntc_0');
  const [item] = await itemsOf(gateway, `MAILED#${causes[0]}`);
  expect(item?.sent).toContainEqual({ mailId: 'ntc_0', hasBounced: true });
});
