import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { createEndpoint, disableEndpoint } from '../../functions/accounts/endpoints/endpoints.ts';
import { noticeItemKey } from '../../functions/accounts/notice-items.ts';
import { updateThresholds } from '../../functions/accounts/team/notice-thresholds.ts';
import { updateOwnerMails } from '../../functions/accounts/team/owner-mails.ts';
import { removeMember, updateMember } from '../../functions/accounts/team/members.ts';
import { resumeMails } from '../../functions/accounts/mail/mailed-addresses.ts';
import { MAILS_IN_DAY } from '../../functions/notices/mail/claims.ts';
import { deleteItem } from '../support/database.ts';
import { mailScene, messageOf, stopBy, testSender } from '../support/mails.ts';
import { join } from '../support/people.ts';
import { DAY_MS, HOUR_MS } from '../support/times.ts';

const scene = () => mailScene();
type Scene = Awaited<ReturnType<typeof scene>>;
/** An hour later, what was held back is due. */
async function nextHour({ gateway, sender }: Scene): Promise<void> {
  gateway.clock.nowMs += HOUR_MS;
  for (const message of sender.due()) await sender.send(message);
}
/** Of how many quotas each mail tells that 80 % are used. */
const toldIn = ({ mailer }: Scene) => mailer.taken.map(({ text }) => text.match(/Units used: 80 of 100/g)?.length ?? 0);
const subjectsIn = ({ mailer }: Scene) => mailer.taken.map(({ subject }) => subject);

describe('an owner', () => {
  test('has the first notice of a kind at once, and those of the next hour in one mail', async () => {
    const all = await scene();
    const { sender, marked } = all;
    await sender.send(await marked(80));
    expect(subjectsIn(all)).toEqual(["80 % of a project's quota is used"]);
    for (let i = 0; i < 5; i++) await sender.send(await marked(80));
    expect(toldIn(all)).toEqual([1]);
    expect(sender.delayed.every(({ delaySeconds }) => delaySeconds === 900)).toBe(true);
    await nextHour(all);
    expect([toldIn(all), sender.delayed]).toEqual([[1, 5], []]);
  });

  test('does not wait for a quota that is used up because one was nearly used up', async () => {
    const all = await scene();
    for (const percent of [80, 100]) await all.sender.send(await all.marked(percent));
    expect(subjectsIn(all)).toEqual(["80 % of a project's quota is used", "A project's quota is used up"]);
  });

  test('is not told of a share after a higher one was reached', async () => {
    const all = await scene();
    const { sender, store, accountId, ownerId, marked } = all;
    await updateThresholds(store, accountId, { percents: [50, 80] });
    await sender.send(await marked(50));
    for (const percent of [50, 80]) await sender.send(await marked(percent, ownerId, 'again'));
    await nextHour(all);
    expect(subjectsIn(all)).toEqual(["50 % of a project's quota is used", "80 % of a project's quota is used"]);
  });

  test.each([
    ['nor holds up one that waits with it', ['late', 'still'], [1, 0, 1]],
    ['nor is there a mail where it was the only one that waited', ['late'], [1, 0]],
  ])('is not told of 80 %% after the same quota was used up, %s', async (_what, waiting, told) => {
    const all = await scene();
    const { sender, ownerId, marked } = all;
    await sender.send(await marked(80));
    for (const project of waiting) await sender.send(await marked(80, ownerId, project));
    await sender.send(await marked(100, ownerId, 'late'));
    await nextHour(all);
    expect([toldIn(all), sender.delayed]).toEqual([told, []]);
    if (waiting.length > 1) return;
    await sender.send(await marked(80));
    expect(toldIn(all)).toEqual([...told, 1]);
  });

  test('is told each once, by any number of attempts at once', async () => {
    const all = await scene();
    const { gateway, sender, marked } = all;
    const messages = await Promise.all(Array.from({ length: 6 }, () => marked(80)));
    const attempts = messages.flatMap((message) => [message, message, message]);
    await Promise.all(attempts.map((message) => sender.sendUntilDone(message)));
    for (let hours = 0; hours < 3; hours++) {
      gateway.clock.nowMs += HOUR_MS;
      await Promise.all(sender.due().map((message) => sender.sendUntilDone(message)));
    }
    expect(toldIn(all)).toEqual([1, 5]);
  });

  test('is told when SES takes it again, also what came meanwhile', async () => {
    const all = await scene();
    const { gateway, mailer, sender, marked } = all;
    mailer.throttled = 1;
    const first = await marked(80);
    await expect(sender.send(first)).rejects.toThrow('TooManyRequests');
    const second = await marked(80);
    await sender.send(second);
    // The sender of the first has died.
    gateway.clock.nowMs += HOUR_MS;
    await sender.send(second);
    await sender.send(first);
    expect(toldIn(all)).toEqual([1, 1]);
  });

  test('is told of nothing under a second id by a mail of a later hour, where the sender died before it noted the mail', async () => {
    const all = await scene();
    const { gateway, sender, accountId, ownerId, marked } = all;
    const first = await marked(80);
    await sender.send(first);
    // SES has the mail, and nothing else was noted.
    const { client, tables } = gateway.store;
    await deleteItem(gateway.store, noticeItemKey.told(accountId, ownerId, first.source.sk));
    await client.send(
      new UpdateCommand({
        TableName: tables.gateway,
        Key: noticeItemKey.fold(accountId, ownerId, 'quota_threshold_reached-below'),
        UpdateExpression: 'REMOVE isSent',
      }),
    );
    gateway.clock.nowMs += HOUR_MS;
    await sender.send(await marked(80));
    await sender.send(first);
    expect(toldIn(all)).toEqual([1, 1]);
  });

  test('is told of nothing again where the stream or the queue gives it once more, hours later', async () => {
    const { gateway, mailer, sender, marked } = await scene();
    const messages = [await marked(80), await marked(80), await marked(80)];
    for (const message of messages) {
      await sender.send(message);
      gateway.clock.nowMs += HOUR_MS;
    }
    expect(mailer.taken).toHaveLength(3);
    for (const message of messages) await sender.send(message);
    gateway.clock.nowMs += HOUR_MS;
    for (const message of [...messages, ...sender.due()]) await sender.send(message);
    expect(mailer.taken).toHaveLength(3);
  });

  test('has no mail for each percentage that one chooses: those below 100 are one kind', async () => {
    const all = await scene();
    for (let percent = 1; percent < 16; percent++) await all.sender.send(await all.marked(percent));
    expect(all.mailer.taken).toHaveLength(1);
  });

  test('has at most so many a day of an account', async () => {
    const { gateway, mailer, sender, marked } = await scene();
    gateway.clock.nowMs -= gateway.clock.nowMs % DAY_MS;
    for (let i = 0; i < MAILS_IN_DAY.member + 3; i++) {
      gateway.clock.nowMs += HOUR_MS;
      await sender.send(await marked(80));
    }
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
  expect(sender.delayed).toEqual([]);
});
