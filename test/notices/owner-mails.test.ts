import { describe, expect, test } from '@jest/globals';
import { createEndpoint, disableEndpoint } from '../../functions/accounts/endpoints/endpoints.ts';
import { updateThresholds } from '../../functions/accounts/team/notice-thresholds.ts';
import { updateOwnerMails } from '../../functions/accounts/team/owner-mails.ts';
import { removeMember, updateMember } from '../../functions/accounts/team/members.ts';
import { requireAddressKey } from '../../functions/accounts/mail/address-key.ts';
import { noteMailState, readMailStates } from '../../functions/accounts/mail/mail-states.ts';
import { readStopToken, resumeMails } from '../../functions/accounts/mail/mailed-addresses.ts';
import { MAILS_IN_DAY } from '../../functions/notices/mail/claims.ts';
import { listMailResults } from '../../functions/accounts/mail/mail-results.ts';
import type { MailMessage } from '../../functions/notices/message.ts';
import { readNotice } from '../../functions/notices/read-notice.ts';
import { recordCalls } from '../support/database.ts';
import type { testGateway } from '../support/gateway.ts';
import { recordReadUnits } from '../support/read-units.ts';
import { mailScene, messageOf, stopBy, testSender } from '../support/mails.ts';
import { join } from '../support/people.ts';
import { DAY_MS, HOUR_MS } from '../support/times.ts';

const scene = () => mailScene();
type Scene = Awaited<ReturnType<typeof scene>>;
/** What became of the mail of a message. */
async function stateIn({ gateway }: Scene, { source }: MailMessage): Promise<string | undefined> {
  const { id = '' } = (await readNotice(gateway.store, source)) ?? {};
  return (await Array.fromAsync(listMailResults(gateway.store, id)))[0]?.state;
}
const subjectsIn = ({ mailer }: Scene) => mailer.taken.map(({ subject }) => subject);

describe('an owner', () => {
  test('has each notice at once, and of one kind about one thing one an hour', async () => {
    const all = await scene();
    const { gateway, sender, ownerId, marked } = all;
    for (const project of ['P', 'Q', 'P']) await sender.send(await marked(80, ownerId, project));
    for (let percent = 81; percent < 96; percent++) await sender.send(await marked(percent, ownerId, 'P'));
    await sender.send(await marked(100, ownerId, 'P'));
    const [below, whole] = ["80 % of a project's quota is used", "A project's quota is used up"];
    expect(subjectsIn(all)).toEqual([below, below, whole]);
    gateway.clock.nowMs += HOUR_MS;
    await sender.send(await marked(85, ownerId, 'Q'));
    expect(subjectsIn(all)).toHaveLength(4);
  });

  test('is not told of a share once a higher one was reached', async () => {
    const all = await scene();
    const { sender, store, accountId, ownerId, marked } = all;
    await updateThresholds(store, accountId, { percents: [50, 80] });
    const late = await marked(50, ownerId, 'P');
    await sender.send(await marked(80, ownerId, 'P'));
    await sender.send(late);
    expect(subjectsIn(all)).toEqual(["80 % of a project's quota is used"]);
  });

  test('is told each once, by any number of attempts at once', async () => {
    const { mailer, sender, ownerId, marked } = await scene();
    const messages = [
      ...(await Promise.all(Array.from({ length: 3 }, () => marked(80)))),
      await marked(70, ownerId, 'P'),
    ];
    messages.push(await marked(75, ownerId, 'P'));
    const attempts = messages.flatMap((message) => [message, message, message]);
    await Promise.all(attempts.map((message) => sender.sendUntilDone(message)));
    // Of the two about one project the first.
    expect(mailer.taken).toHaveLength(4);
  });

  test('is told when SES takes it again, though another of its kind has come meanwhile', async () => {
    const all = await scene();
    const { mailer, sender, ownerId, marked } = all;
    mailer.throttled = 1;
    const [first, second] = [await marked(81, ownerId, 'P'), await marked(82, ownerId, 'P')];
    await expect(sender.send(first)).rejects.toThrow('TooManyRequests');
    await sender.send(second);
    await sender.send(first);
    expect(subjectsIn(all)).toEqual(["81 % of a project's quota is used"]);
    expect(await stateIn(all, second)).toBe('recent');
  });

  test('is told of nothing again where the stream or the queue gives it once more, hours later', async () => {
    const { gateway, mailer, sender, marked } = await scene();
    const messages = [await marked(80), await marked(80), await marked(80)];
    for (const message of messages) await sender.send(message);
    gateway.clock.nowMs += 2 * HOUR_MS;
    for (const message of messages) await sender.send(message);
    expect(mailer.taken).toHaveLength(3);
  });

  test('has at most so many a day of an account', async () => {
    const { gateway, mailer, sender, marked } = await scene();
    for (let i = 0; i < MAILS_IN_DAY.member + 3; i++) await sender.send(await marked(80));
    expect(mailer.taken).toHaveLength(MAILS_IN_DAY.member - MAILS_IN_DAY.urgent);
    gateway.clock.nowMs += DAY_MS;
    await sender.send(await marked(99));
    expect(mailer.taken).toHaveLength(MAILS_IN_DAY.member - MAILS_IN_DAY.urgent + 1);
  });

  test('who chose not to have such mails, or is an owner no more, has none', async () => {
    const { gateway, mailer, sender, accountId, store, marked } = await scene();
    const other = await join(gateway, accountId, 'owner');
    const message = await marked(80, other.memberId);
    await updateMember(store, accountId, other.memberId, 'member');
    await sender.send(message);
    await updateOwnerMails(store, accountId, { quota: false });
    await sender.send(await marked(80));
    expect(mailer.taken).toEqual([]);
  });

  test('who has stopped the mails of the account has none, and its team sees it at once', async () => {
    const { gateway, mailer, sender, ownerId, stateOf, marked } = await scene();
    await sender.send(await marked(80));
    expect(await stateOf(ownerId)).toBe('sent');
    const stop = await stopBy(gateway.store, mailer.taken[0]);
    expect(await stateOf(ownerId)).toBe('stopped');
    gateway.clock.nowMs += 2 * HOUR_MS;
    await sender.send(await marked(100));
    expect(mailer.taken).toHaveLength(1);
    await resumeMails(gateway.store, stop);
    expect(await stateOf(ownerId)).toBeUndefined();
  });
});

test.each([
  ['notices', 'no delivery has succeeded for three days, or it answered 410'],
  [undefined, 'the platform team'],
] as const)('owners learn which webhook endpoint was switched off, and by whom: %s', async (actor, why) => {
  const { gateway, mailer, sender, accountId, store, ownerId } = await scene();
  const { endpointId } = await createEndpoint(store, accountId, {
    url: 'https://a.example.com/hooks/secret',
    kinds: ['key.expiring'],
  });
  const by = actor === undefined ? gateway.store : { ...gateway.store, actor: () => Promise.resolve(actor) };
  await disableEndpoint(by, accountId, endpointId, actor === undefined ? 'operator' : 'failures');
  await sender.send(
    await messageOf(gateway.store, { accountId, action: 'endpoint.disable', to: { memberId: ownerId } }),
  );
  const { text, html } = mailer.taken[0] ?? {};
  expect(text).toContain(`Endpoint: “a[.]example[.]com”\n  Endpoint id: ${endpointId}\n  Why: ${why}\n`);
  expect(text).toContain(`/accounts/${accountId}/developers/webhooks/${endpointId}`);
  expect(`${text} ${html}`).not.toMatch(/a\.example|secret/);
});

describe('a member', () => {
  test('is told of another role, and who made the change is not', async () => {
    const { gateway, mailer, sender, accountId, store, ownerId } = await scene();
    const other = await join(gateway, accountId, 'member');
    await updateMember(store, accountId, other.memberId, 'owner');
    const to = (member: string) =>
      messageOf(gateway.store, { accountId, action: 'member.update', to: { memberId: member } });
    await sender.send(await to(other.memberId));
    await sender.send(await to(ownerId));
    expect(mailer.taken.map((mail) => [mail.to, mail.subject])).toEqual([
      [other.profile.email, 'Your role in an account has changed'],
    ]);
    expect(mailer.taken[0]?.text).toMatch(/Before: member\n {2}Now: owner/);
  });

  test('who was removed is told', async () => {
    const { gateway, mailer, sender, accountId, store } = await scene();
    const other = await join(gateway, accountId, 'member');
    await removeMember(store, accountId, other.memberId);
    const to = { userId: other.userId };
    await sender.send(await messageOf(gateway.store, { accountId, action: 'member.remove', to }));
    expect(mailer.taken.map((mail) => [mail.to, mail.subject])).toEqual([
      [other.profile.email, 'You are no longer in an account'],
    ]);
  });
});

test('a stage without mail sends none, and keeps what is in its queue', async () => {
  const { gateway, marked } = await scene();
  const sender = testSender(gateway.store, undefined);
  await expect(sender.send(await marked(80))).rejects.toThrow('sends no mail');
});

test('twenty changes of a role do not crowd out the mail about the removal', async () => {
  const { gateway, mailer, sender, accountId } = await scene();
  const { memberId, owner } = await joined(gateway, accountId);
  gateway.clock.nowMs -= gateway.clock.nowMs % DAY_MS;
  for (let n = 0; n < 20; n++) {
    gateway.clock.nowMs += HOUR_MS;
    await updateMember(gateway.store, accountId, memberId, n % 2 === 0 ? 'owner' : 'member');
    await sender.send(await messageOf(gateway.store, { accountId, action: 'member.update', to: owner }));
  }
  expect(mailer.taken).toHaveLength(MAILS_IN_DAY.member - MAILS_IN_DAY.urgent);
  await removeMember(gateway.store, accountId, memberId);
  await sender.send(await messageOf(gateway.store, { accountId, action: 'member.remove', to: owner }));
  expect(mailer.taken.at(-1)?.subject).toBe('You are no longer in an account');
});

test('urgent mails of a day do not crowd out the mail about the removal either', async () => {
  const { gateway, mailer, sender, accountId, marked } = await scene();
  const { memberId, owner } = await joined(gateway, accountId, 'owner');
  // Each exhaustion of a quota is told at once.
  for (let n = 0; n < MAILS_IN_DAY.member + 1; n++) {
    await sender.send(await marked(100, memberId));
  }
  expect(mailer.taken).toHaveLength(MAILS_IN_DAY.member);
  await removeMember(gateway.store, accountId, memberId);
  await sender.send(await messageOf(gateway.store, { accountId, action: 'member.remove', to: owner }));
  expect(mailer.taken.at(-1)?.subject).toBe('You are no longer in an account');
});

async function joined(gateway: ReturnType<typeof testGateway>, accountId: string, role: 'member' | 'owner' = 'member') {
  const { memberId, store } = await join(gateway, accountId, role);
  return { memberId, owner: { userId: store.caller?.userId ?? '' } };
}

test('the team page reads states of present members only', async () => {
  const { gateway, accountId, ownerId } = await scene();
  for (let n = 0; n < 50; n++)
    await noteMailState(gateway.store, { accountId, memberId: `mem_${n}`, noticeId: 'ntc_1' }, 'sent');
  await noteMailState(gateway.store, { accountId, memberId: ownerId, noticeId: 'ntc_1' }, 'limited');
  const reads = recordReadUnits(gateway.store.client);
  expect([...(await readMailStates(gateway.store, accountId, [ownerId]))]).toEqual([[ownerId, 'limited']]);
  expect(reads.units).toBeLessThanOrEqual(2);
});

test('made-up stop tokens read the key of addresses once', async () => {
  const { gateway } = await scene();
  await requireAddressKey(gateway.store);
  const { commands } = recordCalls(gateway.store.client);
  const token = `${'0'.repeat(64)}.invitations.${'A'.repeat(43)}`;
  for (let n = 0; n < 20; n++) {
    expect(await readStopToken(gateway.store, token)).toBeUndefined();
  }
  expect(commands).toHaveLength(1);
});
