import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { accountItemKey } from '../../functions/accounts/store/account-items.ts';
import { readStopToken, resumeMails } from '../../functions/accounts/mail/mailed-addresses.ts';
import { noteMailState } from '../../functions/accounts/mail/mail-states.ts';
import { resendInvitation } from '../../functions/accounts/team/resent-invitations.ts';
import { removeMember } from '../../functions/accounts/team/members.ts';
import { createOwnAccount } from '../../functions/accounts/team/own-accounts.ts';
import { onMailEvent } from '../../functions/notices/mail/mail-events.ts';
import { MAILS_IN_DAY } from '../../functions/notices/mail/claims.ts';
import {
  mailScene,
  MANY_INVITATIONS,
  messageOf,
  newAddress,
  returned,
  stopBy,
  testSender,
  tokenIn,
} from '../support/mails.ts';
import { ownAccount } from '../support/people.ts';
import { DAY_MS, MINUTE_MS } from '../support/times.ts';

const scene = () => mailScene(MANY_INVITATIONS);

describe('who is invited', () => {
  test('gets a mail with a link to that invitation, and a repeat of its message sends no second one', async () => {
    const { mailer, sender, accountId, invite, stateOf } = await scene();
    const email = newAddress();
    const { memberId, message } = await invite(email);
    await sender.send(message);
    await sender.send(message);
    expect(mailer.taken).toHaveLength(1);
    const [mail] = mailer.taken;
    expect(mail).toMatchObject({ to: email, subject: 'You are invited to the developer portal' });
    for (const form of [mail?.text, mail?.html]) {
      expect(form).toContain(`https://portal.example.com/invitations/${accountId}`);
      expect(form).toContain('“Team”');
    }
    expect(await stateOf(memberId)).toBe('sent');
  });

  test('is shown as told also where a repeat of the message comes after they stopped invitations', async () => {
    const { gateway, mailer, sender, invite, stateOf } = await scene();
    const { memberId, message } = await invite();
    await sender.send(message);
    await stopBy(gateway.store, mailer.taken[0]);
    await sender.send(message);
    expect(await stateOf(memberId)).toBe('sent');
  });

  test('gets it again when the platform team asks for it, once for each time', async () => {
    const { gateway, mailer, sender, accountId, invite } = await scene();
    const { memberId, message } = await invite();
    await sender.send(message);
    await resendInvitation(gateway.store, accountId, memberId);
    const again = await messageOf(gateway.store, { accountId, action: 'member.resend', to: { memberId } });
    await sender.send(again);
    await sender.send(again);
    expect(mailer.taken).toHaveLength(2);
    expect(mailer.taken[1]?.text).toBe(mailer.taken[0]?.text);
    await removeMember(gateway.store, accountId, memberId);
    await expect(resendInvitation(gateway.store, accountId, memberId)).rejects.toThrow('no member');
  });

  test('gets none once the invitation was withdrawn', async () => {
    const { mailer, sender, accountId, store, invite } = await scene();
    const { memberId, message } = await invite();
    await removeMember(store, accountId, memberId);
    await sender.send(message);
    expect(mailer.taken).toEqual([]);
  });

  test('gets none from somebody who has deleted their profile since: nobody is left whose bound counts it', async () => {
    const { gateway, mailer, sender, owner, invite, stateOf } = await scene();
    const { memberId, message } = await invite();
    const Key = accountItemKey.user(owner.userId);
    await gateway.store.client.send(new DeleteCommand({ TableName: gateway.store.tables.gateway, Key }));
    await sender.send(message);
    expect(mailer.taken).toEqual([]);
    expect(await stateOf(memberId)).toBe('limited');
  });

  test('gets none from another attempt while SES has not answered, and one if the sender has died meanwhile', async () => {
    const { gateway, mailer, invite } = await scene();
    const { message } = await invite();
    const asked = Promise.withResolvers<undefined>();
    const hanging = testSender(gateway.store, {
      send: () => {
        asked.resolve(undefined);
        return new Promise(() => undefined);
      },
    });
    void hanging.send(message);
    await asked.promise;
    const sender = testSender(gateway.store, mailer);
    await expect(sender.send(message)).rejects.toThrow('another attempt');
    expect(mailer.taken).toEqual([]);
    gateway.clock.nowMs += MINUTE_MS;
    await sender.send(message);
    expect(mailer.taken).toHaveLength(1);
  });

  test('is shown as refused when SES does not take the mail', async () => {
    const { mailer, sender, invite, stateOf } = await scene();
    const email = newAddress();
    mailer.refused.add(email);
    const { memberId, message } = await invite(email);
    await sender.send(message);
    expect(await stateOf(memberId)).toBe('refused');
  });

  test.each([
    ['two addresses', 'a@example.com,b@example.com'],
    ['a name beside the address', '"Bank"@example.com'],
    ['letters that are no ASCII', 'zoë@example.com'],
  ])('gets none at %s', async (_what, email) => {
    const { gateway, mailer, sender, invite } = await scene();
    await sender.send((await invite(email, gateway.store)).message);
    expect(mailer.taken).toEqual([]);
  });
});

describe('many invitations at once', () => {
  test('send three mails a day to an address, from all inviters', async () => {
    const { gateway, mailer, sender, invite, stateOf } = await scene();
    const email = newAddress();
    const teams = await Promise.all(
      Array.from({ length: 12 }, () => ownAccount(gateway, { limits: MANY_INVITATIONS })),
    );
    const invited = await Promise.all(teams.map((team) => invite(email, team.store, team.accountId)));
    await Promise.all(invited.map(({ message }) => sender.sendUntilDone(message)));
    expect(mailer.taken).toHaveLength(MAILS_IN_DAY.address);
    const states = await Promise.all(teams.map(({ accountId }, i) => stateOf(invited[i]?.memberId ?? '', accountId)));
    expect(states.filter((state) => state === 'limited')).toHaveLength(teams.length - MAILS_IN_DAY.address);

    gateway.clock.nowMs += DAY_MS;
    await sender.send((await invite(email)).message);
    expect(mailer.taken).toHaveLength(MAILS_IN_DAY.address + 1);
  });

  test('send three mails a day to a mailbox, at however many of its addresses', async () => {
    const { gateway, mailer, sender, invite } = await scene();
    const mailbox = newAddress();
    const team = await ownAccount(gateway, { limits: MANY_INVITATIONS });
    const addresses = ['', '+', '+a', '+b', '+a+b', '+c'].map((tag) => mailbox.replace('@', `${tag}@`));
    const invited = await Promise.all(addresses.map((email) => invite(email, team.store, team.accountId)));
    await Promise.all(invited.map(({ message }) => sender.sendUntilDone(message)));
    expect(mailer.taken).toHaveLength(MAILS_IN_DAY.address);
  });

  test('send twenty a day by an identity, in all accounts together', async () => {
    const { mailer, sender, owner, invite } = await scene();
    const other = await createOwnAccount(owner.store, { name: 'Other', person: owner.profile });
    const otherStore = await owner.in(other);
    const messages = [];
    for (let i = 0; i < MAILS_IN_DAY.identity + 6; i++) {
      const invited = i % 2 ? await invite() : await invite(newAddress(), otherStore, other);
      messages.push(invited.message);
    }
    await Promise.all(messages.map((message) => sender.sendUntilDone(message)));
    expect(mailer.taken).toHaveLength(MAILS_IN_DAY.identity);
  });

  test('send fifty a day by an account, whichever of its owners invites', async () => {
    const { gateway, mailer, sender, accountId, invite } = await scene();
    const messages = [];
    // The platform team has no bound of an identity.
    for (let i = 0; i < MAILS_IN_DAY.account + 5; i++)
      messages.push((await invite(newAddress(), gateway.store)).message);
    await Promise.all(messages.map((message) => sender.sendUntilDone(message)));
    expect(mailer.taken).toHaveLength(MAILS_IN_DAY.account);
    expect(mailer.taken.every(({ tags }) => tags.accountId === accountId)).toBe(true);
  });
});

describe('an address', () => {
  test('that wants no invitations gets none, until it wants them again', async () => {
    const { gateway, mailer, sender, invite, stateOf } = await scene();
    const email = newAddress();
    await sender.send((await invite(email)).message);
    const stop = await stopBy(gateway.store, mailer.taken[0]);
    const other = await ownAccount(gateway);
    const { memberId, message } = await invite(email, other.store, other.accountId);
    await sender.send(message);
    expect(mailer.taken).toHaveLength(1);
    expect(await stateOf(memberId, other.accountId)).toBe('stopped');
    // Whoever invites can make up further addresses of the mailbox.
    const further = await invite(email.replace('@', '+again@'), other.store, other.accountId);
    await sender.send(further.message);
    expect(mailer.taken).toHaveLength(1);
    expect(await stateOf(further.memberId, other.accountId)).toBe('stopped');
    await resumeMails(gateway.store, stop);
    await sender.send((await invite(email.replace('@', '+third@'), other.store, other.accountId)).message);
    expect(mailer.taken).toHaveLength(2);
  });

  test.each(['Bounce', 'Complaint'] as const)(
    'is not written to again after a %s, and the team learns of it',
    async (eventType) => {
      const { gateway, mailer, sender, invite, stateOf } = await scene();
      const email = newAddress();
      const { memberId, message } = await invite(email);
      await sender.send(message);
      const other = await ownAccount(gateway);
      // The other side's server writes the report, and may name anybody in it.
      const stranger = newAddress();
      const recipients = [{ emailAddress: stranger }];
      const told = returned(
        eventType,
        email.toUpperCase(),
        { ...mailer.taken[0]?.tags, 'ses:source-ip': '192.0.2.1' },
        eventType === 'Bounce'
          ? { bounce: { bounceType: 'Permanent', bouncedRecipients: recipients } }
          : { complaint: { complainedRecipients: recipients } },
      );
      await onMailEvent(sender.dependencies, told);
      expect(await stateOf(memberId)).toBe('bounced');
      await sender.send((await invite(email, other.store, other.accountId)).message);
      expect(mailer.taken).toHaveLength(1);
      await sender.send((await invite(stranger, other.store, other.accountId)).message);
      expect(mailer.taken.map(({ to }) => to)).toEqual([email, stranger]);
    },
  );

  test('whose mailbox is full today is written to again', async () => {
    const { gateway, mailer, sender, invite } = await scene();
    const email = newAddress();
    await sender.send((await invite(email)).message);
    const bounce = { bounceType: 'Transient', bouncedRecipients: [{ emailAddress: email }] };
    await onMailEvent(sender.dependencies, returned('Bounce', email, {}, { bounce }));
    const other = await ownAccount(gateway);
    await sender.send((await invite(email, other.store, other.accountId)).message);
    expect(mailer.taken).toHaveLength(2);
  });

  test('that bounced before it was noted as sent stays as bounced', async () => {
    const { gateway, accountId, invite, stateOf } = await scene();
    const { memberId } = await invite();
    const mail = { accountId, memberId, noticeId: 'ntc_0000000000000000' };
    await noteMailState(gateway.store, mail, 'bounced');
    await noteMailState(gateway.store, mail, 'sent');
    expect(await stateOf(memberId)).toBe('bounced');
  });
});

test('a token allows nothing else than what it was made for', async () => {
  const { gateway, mailer, sender, invite } = await scene();
  await sender.send((await invite()).message);
  const token = tokenIn(mailer.taken[0]);
  expect(await readStopToken(gateway.store, token)).toMatchObject({ scope: 'invitations' });
  const [hash = '', scope = '', mac = ''] = token.split('.');
  const wrong = [
    `${hash}.acc_0000000000000000.${mac}`,
    `${hash.replace(/^./, (first) => (first === '0' ? '1' : '0'))}.${scope}.${mac}`,
    `${hash}.${scope}.${mac.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`,
    `${token}x`,
    '',
  ];
  for (const each of wrong) expect(await readStopToken(gateway.store, each)).toBeUndefined();
});
