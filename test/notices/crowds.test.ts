import { expect, test } from '@jest/globals';
import { createEndpoint, deleteEndpoint } from '../../functions/accounts/endpoints/endpoints.ts';
import { listEndpoints } from '../../functions/accounts/endpoints/stored-endpoints.ts';
import { noteMailState, readMailStates } from '../../functions/accounts/mail/mail-states.ts';
import { removeMember, updateMember } from '../../functions/accounts/team/members.ts';
import { enqueueNotice } from '../../functions/notices/messages.ts';
import { MAILS_IN_DAY } from '../../functions/notices/mail/claims.ts';
import { requireAddressKey } from '../../functions/accounts/mail/address-key.ts';
import { readStopToken } from '../../functions/accounts/mail/mailed-addresses.ts';
import { webhookScene } from '../support/webhooks.ts';
import { recordCalls } from '../support/database.ts';
import { testGateway } from '../support/gateway.ts';
import { mailScene, messageOf } from '../support/mails.ts';
import { join } from '../support/people.ts';
import { recordReadUnits } from '../support/read-units.ts';
import { DAY_MS, HOUR_MS } from '../support/times.ts';

const scene = () => mailScene();

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

test('an endpoint that was deleted is not created again under its Idempotency-Key, also by five repeats at once', async () => {
  const details = { url: 'https://hooks.example.com/a', kinds: ['project.suspended'] } as const;
  const { accountId, store } = await scene();
  const create = (idempotencyKey: string) => createEndpoint(store, accountId, details, idempotencyKey);
  const made = await create('same-key');
  // A repeat is no other.
  expect(await create('same-key')).toEqual(made);
  await deleteEndpoint(store, accountId, made.endpointId);
  const repeats = await Promise.allSettled(Array.from({ length: 5 }, () => create('same-key')));
  const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'CHANGED_MEANWHILE' }) };
  expect(repeats).toEqual(repeats.map(() => refused));
  const other = await create('another-key');
  expect([other.endpointId, other.secret]).not.toEqual([made.endpointId, made.secret]);
  expect(await listEndpoints(store, accountId)).toMatchObject([{ endpointId: other.endpointId }]);
});

test('54 reports to five slow endpoints are 270 deliveries, three at once, in order, by one message at a time', async () => {
  const scene = await webhookScene();
  const { accountId, owner, clock, dependencies } = scene;
  for (let n = 0; n < 4; n++)
    await createEndpoint(owner, accountId, { url: `https://h${n}.example.com/`, kinds: ['project.suspended'] });
  let [now, most] = [0, 0];
  const begun = Promise.withResolvers<undefined>();
  const order: string[] = [];
  Object.assign(dependencies, {
    deliver: async ({ headers }: { headers: Record<string, string> }) => {
      order.push(headers['webhook-id'] ?? '');
      most = Math.max(most, ++now);
      // The first ones answer once three are under way, and a fourth would have begun.
      if (now === 3) void scene.deliveries().then(() => begun.resolve(undefined));
      await begun.promise;
      now--;
      // Three of two seconds at once.
      clock.nowMs += 700;
      return 200;
    },
  });
  const notices = [];
  for (let n = 0; n < 54; n++) {
    clock.nowMs++;
    notices.push(await scene.notice());
  }
  const reads = recordReadUnits(dependencies.store.client);
  for (const { notice, source } of notices) await enqueueNotice(dependencies, notice, source);
  while (scene.queue.length > 0) {
    // What is there at once comes at once.
    const some = scene.queue.splice(0, 10);
    clock.nowMs = Math.max(clock.nowMs, ...some.map(({ dueMs }) => dueMs));
    await Promise.all(some.map(({ message }) => scene.work(message)));
  }
  const states = (await scene.deliveries()).map(({ state, failure }) => failure ?? state);
  const count = (word: string) => states.filter((state) => state === word).length;
  expect([count('delivered'), count('dropped'), order.length, most]).toEqual([200, 70, 200, 3]);
  // Each notice is told to five; of three at once one may overtake another.
  const told = notices.map(({ notice }) => notice.id);
  expect(order.filter((id, i) => Math.abs(told.indexOf(id) - i / 5) > 1.5)).toEqual([]);
  expect(reads.units).toBeLessThanOrEqual(1_000);
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
