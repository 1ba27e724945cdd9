import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createEndpoint } from '../../functions/accounts/endpoints/endpoints.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { crash, type CrashPoint } from '../support/crashes.ts';
import { apply, intercept, misbehavingServer, type Behaviour } from '../support/faults.ts';
import { IS_FULL } from '../support/extent.ts';
import { gatewayWithTenant } from '../support/gateway.ts';
import { markersOf, tableStream, testNotices } from '../support/notices.ts';
import { join } from '../support/people.ts';

let server: Awaited<ReturnType<typeof misbehavingServer>>;
beforeAll(async () => {
  server = await misbehavingServer();
});
afterAll(() => {
  server.close();
});

/** An account with an owner, an invitation that nobody was told of, a quota at 80 % and a cap that is used up. */
async function scene() {
  const { gateway, accountId, projectId, key } = await gatewayWithTenant({ quotaLimit: 5, unitsLimit: 4 });
  const { memberId: ownerId } = await join(gateway, accountId, 'owner');
  const stream = tableStream(gateway, [accountId, projectId]);
  await stream();
  await inviteMember(gateway.store, accountId, { email: 'grace@example.com', role: 'member' });
  for (let n = 0; n < 4; n++) await gateway.ping(key);
  return { gateway, accountId, projectId, ownerId, stream };
}

const EXPECTED = ['invitation.created', 'key.cap_reached', 'quota.threshold_reached'];
/** More than the calls that any step makes. */
const CALLS = Array.from({ length: 16 }, (_, i) => i + 1);

/** A landing tries what leaves the most behind: the store is then as before the next call. */
const MOMENTS: readonly CrashPoint['when'][] = [
  'before its answer is seen',
  ...(IS_FULL ? (['before it is sent'] as const) : []),
];
/** How the store fails, and from which call on. A landing tries each of both once. */
const FAILURES = (['throttles', 'resets', 'failsInside', 'truncates', 'answersNothing'] as const).flatMap(
  (behaviour, i) =>
    [1, 2, 3, 4]
      .filter((call) => IS_FULL || call === (i % 4) + 1)
      // The fourth is a `GetItem`. Its empty answer says that there is no such item.
      .filter((call) => behaviour !== 'answersNothing' || call < 4)
      .map((call): [Behaviour, number] => [behaviour, call]),
);

/** What several instances told, each notice by its type; an id that differs between repeats would be another notice. */
async function toldBy(instances: readonly ReturnType<typeof testNotices>[]): Promise<string[]> {
  const told = (await Promise.all(instances.map((notices) => notices.told()))).flat();
  return [...new Map(told.map(({ id, type }) => [id, type])).values()].sort();
}

describe('a notice is made once and lost never, where the function', () => {
  test.each(MOMENTS.flatMap((when) => CALLS.map((call): [CrashPoint['when'], number] => [when, call])))(
    'ends %s of call %i, and the stream gives its records again',
    async (when, call) => {
      const { gateway, accountId, stream } = await scene();
      const records = await stream();
      const killed = testNotices(gateway);
      const { strike, stopped } = crash({ call, when }, server);
      strike(killed.client);
      await Promise.race([killed.give(records), stopped]);
      const next = testNotices(gateway);
      await next.give(records);
      await next.follow(stream);
      expect(await toldBy([killed, next])).toEqual(EXPECTED);
      expect(await markersOf(gateway, accountId)).toHaveLength(3);
    },
  );

  test.each(FAILURES)('meets a store that %s from call %i on', async (behaviour, from) => {
    const { gateway, accountId, stream } = await scene();
    const records = await stream();
    const failing = testNotices(gateway);
    const calls = new Set<string>();
    intercept(failing.client, (attempt) => {
      calls.add(attempt.callId);
      return calls.size < from ? attempt.send() : server.answer(attempt, behaviour);
    });
    const { batchItemFailures } = await failing.give(records);
    expect(batchItemFailures).toHaveLength(1);
    const index = records.findIndex(
      ({ dynamodb }) => dynamodb?.SequenceNumber === batchItemFailures[0]?.itemIdentifier,
    );
    const next = testNotices(gateway);
    await next.give(records.slice(index));
    await next.follow(stream);
    expect(await toldBy([failing, next])).toEqual(EXPECTED);
    expect(await markersOf(gateway, accountId)).toHaveLength(3);
  });

  test('loses the answer to the write of a marker: the marker stands, and the stream tells of it', async () => {
    const { gateway, accountId, stream } = await scene();
    const records = await stream();
    const notices = testNotices(gateway);
    let lost = 0;
    intercept(notices.client, async (attempt) => {
      if (attempt.operation !== 'PutItem' || lost++ > 0) return attempt.send();
      await apply(attempt);
      return server.answer(attempt, 'resets');
    });
    expect(await notices.give(records)).toEqual({ batchItemFailures: [] });
    await notices.follow(stream);
    expect(await toldBy([notices])).toEqual(EXPECTED);
    expect(await markersOf(gateway, accountId)).toHaveLength(3);
  });

  test('runs in five instances at once over one stream, each in another order', async () => {
    const { gateway, accountId, stream } = await scene();
    const records = await stream();
    const instances = Array.from({ length: 5 }, () => testNotices(gateway));
    await Promise.all(
      instances.map((notices, n) => notices.give([...records.slice(n), ...records.slice(0, n)].reverse())),
    );
    await instances[0]?.follow(stream);
    expect(await toldBy(instances)).toEqual(EXPECTED);
    expect(await markersOf(gateway, accountId)).toHaveLength(3);
  });

  test('gets its records a long time late: what it tells is what is stored by then', async () => {
    const { gateway, accountId, stream } = await scene();
    const records = await stream();
    gateway.clock.nowMs += 23 * 3_600_000;
    const notices = testNotices(gateway);
    await notices.give(records);
    await notices.follow(stream);
    expect(await toldBy([notices])).toEqual(EXPECTED);
    expect(await markersOf(gateway, accountId)).toHaveLength(3);
  });
});

describe('a queue that takes nothing', () => {
  test.each(['mail', 'webhooks'] as const)('of %s fails the record, and nothing is told to nobody', async (name) => {
    const { gateway, stream, accountId } = await scene();
    await createEndpoint(gateway.store, accountId, { url: 'https://a.example.com/', kinds: ['invitation.created'] });
    const records = await stream();
    const whole = testNotices(gateway);
    const { queues } = whole.dependencies;
    const down = { send: () => Promise.reject(new Error('down')) };
    const failing = testNotices(gateway, { queues: { ...queues, [name]: down } });
    expect((await failing.give(records)).batchItemFailures).toHaveLength(1);
    await whole.give(records);
    await whole.follow(stream);
    expect(await whole.deliveries()).toHaveLength(1);
    expect(await toldBy([whole])).toEqual(EXPECTED);
  });
});
