import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createKey } from '../../functions/accounts/api-keys.ts';
import { testEndpoint } from '../../functions/accounts/deliveries.ts';
import { createEndpoint } from '../../functions/accounts/endpoints.ts';
import { inviteMember } from '../../functions/accounts/invitations.ts';
import { rotateKey } from '../../functions/accounts/key-rotation.ts';
import { removeMember, updateMember } from '../../functions/accounts/members.ts';
import { createProject } from '../../functions/accounts/projects.ts';
import { SANDBOX_SCOPE } from '../../functions/core/api-key.ts';
import { noticesHandler } from '../../functions/notices/dispatch.ts';
import type { Message } from '../../functions/notices/message.ts';
import { testDatabase } from '../support/database.ts';
import { openDoor, type Door } from '../support/door/door.ts';
import { testGateway } from '../support/gateway.ts';
import { grantsOf, policyOf, usesOf } from '../support/iam.ts';
import { testMailer } from '../support/mails.ts';
import { tableStream, testNotices } from '../support/notices.ts';
import { join, ownAccount } from '../support/people.ts';
import { DAY_MS, MINUTE_MS } from '../support/times.ts';
import { noteKeys } from '../support/secrets/journal.ts';

declare const ENGINE: string;

const policy = policyOf('notices');
const used = new Set<string>();
const gateway = testGateway();
let door: Door;
beforeAll(async () => {
  const endpoint = `TEST_ENDPOINT_${ENGINE}`;
  // A door before the run's own, which reports what each call uses.
  door = await openDoor(process.env[endpoint] ?? '', (permission) => {
    for (const grant of usesOf(policy, permission)) used.add(grant);
  });
  process.env[endpoint] = door.endpoint;
});
afterAll(async () => {
  // No call was refused, not even one whose failure would not show.
  await door.close();
});

test('the notices function is granted exactly what it does with the tables', async () => {
  const { store, clock } = gateway;
  const mailer = testMailer();
  const { documents } = testDatabase('notices');
  const statuses = [200, 410];
  const notices = testNotices(gateway, {
    ...{ store: { ...store, client: documents, actor: () => Promise.resolve('notices') }, mailer },
    deliver: () => Promise.resolve(statuses.shift() ?? 200),
  });
  const { accountId, store: owner } = await ownAccount(gateway);
  const { memberId: other } = await join(gateway, accountId, 'owner');
  const projectId = await createProject(store, { accountId, name: 'Trips', quotaLimit: 10 });
  const stream = tableStream(gateway, [accountId, projectId]);
  const kinds = ['invitation.created', 'member.role_changed'] as const;
  const { endpointId } = await createEndpoint(owner, accountId, { url: 'https://a.example.com/', kinds });
  await inviteMember(owner, accountId, { email: 'granted@example.com', role: 'member' });
  await testEndpoint(owner, accountId, endpointId);
  const details = { projectId, mode: 'test', scopes: new Set([SANDBOX_SCOPE]), rpm: 60 } as const;
  const expiresAtMs = clock.nowMs + 20 * DAY_MS;
  const { key, keyId } = await createKey(store, { ...details, unitsLimit: 8, expiresAtMs });
  noteKeys(key);
  for (let n = 0; n < 8; n++) expect((await gateway.ping(key)).status).toBe(200);
  // The key of the cap ends, and its successor has it.
  await rotateKey(store, projectId, keyId, MINUTE_MS);
  clock.nowMs += 2 * MINUTE_MS;

  /** Does everything that is asked for, as the queues do, until there is nothing more. */
  const settle = async (): Promise<void> => {
    const handle = noticesHandler(notices.dependencies);
    for (;;) {
      await notices.follow(stream);
      const messages: Message[] = [...notices.mails.splice(0), ...notices.deliveries.splice(0)];
      if (messages.length === 0) return;
      for (const [i, message] of messages.entries()) {
        const record = { messageId: String(i), body: JSON.stringify(message) };
        await handle({ Records: [record as never] }, () => Infinity);
      }
    }
  };
  mailer.throttled = 1;
  await settle();
  await updateMember(owner, accountId, other, 'member');
  await removeMember(owner, accountId, other);
  await settle();
  clock.nowMs += 14 * DAY_MS;
  await notices.hour();
  await settle();
  const [mail] = mailer.taken;
  const news = {
    eventType: 'Bounce',
    mail: { destination: [mail?.to], tags: {} },
    bounce: { bounceType: 'Permanent' },
  };
  const event = { source: 'aws.ses', detail: news } as never;
  await noticesHandler(notices.dependencies)(event, () => Infinity);

  // What Lambda does with the stream is no call of ours.
  const ofStream = /:(DescribeStream|GetRecords|GetShardIterator) /;
  const ofTables = grantsOf(policy).filter((grant) => grant.startsWith('gateway ') && !ofStream.test(grant));
  expect([...used].sort()).toEqual(ofTables.sort());
});
