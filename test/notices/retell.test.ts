import { expect, test } from '@jest/globals';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { requestRetell } from '../../functions/accounts/mail/retell-requests.ts';
import {
  allowBounced,
  noteBounced,
  stopOf,
  addressHash,
  mailStop,
} from '../../functions/accounts/mail/mailed-addresses.ts';
import { requireAddressKey } from '../../functions/accounts/mail/address-key.ts';
import { testGateway } from '../support/gateway.ts';
import { messageOf, testMailer, testSender } from '../support/mails.ts';
import { putItem } from '../support/database.ts';
import { tableStream, testNotices } from '../support/notices.ts';
import { ownAccount } from '../support/people.ts';
import { recordReadUnits } from '../support/read-units.ts';
import { DAY_MS, MINUTE_MS } from '../support/times.ts';

test('what was left out since a time is told again, under the same ids, and nobody is told twice', async () => {
  const gateway = testGateway();
  const { accountId, store } = await ownAccount(gateway);
  const stream = tableStream(gateway, [accountId]);
  const invite = (name: string) => inviteMember(store, accountId, { email: `${name}@example.com`, role: 'member' });
  await invite('early');
  gateway.clock.nowMs += 60 * MINUTE_MS;
  const sinceMs = gateway.clock.nowMs;
  const told = await invite('told');
  await invite('lost');
  // All of it is lost: a bad version left it out.
  await stream();
  const mailer = testMailer();
  const sender = testSender(gateway.store, mailer);
  await sender.send(await messageOf(gateway.store, { accountId, action: 'member.add', to: { memberId: told } }));
  expect(mailer.taken.map(({ to }) => to)).toEqual(['told@example.com']);
  await requestRetell(gateway.store, accountId, sinceMs);
  const notices = testNotices(gateway);
  await notices.follow(stream);
  for (const message of notices.mails) await sender.send(message);
  expect(mailer.taken.map(({ to }) => to)).toEqual(['told@example.com', 'lost@example.com']);
});

test('what is told again is read from its time on: a long audit before it costs nothing', async () => {
  const gateway = testGateway();
  const { accountId } = await ownAccount(gateway);
  const at = new Date(gateway.clock.nowMs - DAY_MS).toISOString();
  for (let n = 0; n < 100; n++) {
    const key = { pk: `ACCOUNT#${accountId}`, sk: `AUDIT#${at}#${n}` };
    await putItem(gateway.store, { ...key, accountId, at, action: 'key.create', after: { name: 'x'.repeat(2_000) } });
  }
  const stream = tableStream(gateway, [accountId]);
  await stream();
  await requestRetell(gateway.store, accountId, gateway.clock.nowMs - MINUTE_MS);
  const notices = testNotices(gateway);
  const reads = recordReadUnits(notices.client);
  await notices.follow(stream);
  // The audit's last minute and the markers. Before that there are 200 kB of it.
  expect(reads.units).toBeLessThanOrEqual(4);
});

test('notices are told again no further back than mails are remembered', async () => {
  const gateway = testGateway();
  const { accountId } = await ownAccount(gateway);
  const asked = requestRetell(gateway.store, accountId, gateway.clock.nowMs - 7 * DAY_MS - 60 * MINUTE_MS - 1);
  await expect(asked).rejects.toThrow('last seven days');
});

test('an address that bounced gets mail again once the platform team allows it', async () => {
  const { store } = testGateway();
  const email = `grace.${Date.now()}@example.com`;
  const stop = async () => {
    const key = await requireAddressKey(store);
    return stopOf(store, addressHash(key, email), mailStop(key, email, 'invitations'));
  };
  expect(await allowBounced(store, email)).toBe(false);
  await noteBounced(store, email, 'bounce');
  expect(await stop()).toBe('bounced');
  expect(await allowBounced(store, email.toUpperCase())).toBe(true);
  expect(await stop()).toBeUndefined();
});
