import { expect, test } from '@jest/globals';
import { readDeliveries, testEndpoint } from '../../functions/accounts/endpoints/deliveries.ts';
import { createEndpoint } from '../../functions/accounts/endpoints/endpoints.ts';
import { noticeItemKey } from '../../functions/accounts/store/notice-items.ts';
import { MAX_WAITING } from '../../functions/notices/webhooks/backlog.ts';
import { enqueueNotice } from '../../functions/notices/messages.ts';
import { StoreUnavailableError } from '../../functions/shared/http/errors.ts';
import { putItem } from '../support/database.ts';
import { recordReadUnits } from '../support/read-units.ts';
import { DAY_MS, MINUTE_MS } from '../support/times.ts';
import { atUpdate, webhookScene, type WebhookScene } from '../support/webhooks.ts';

const statesOf = async (scene: WebhookScene) =>
  (await scene.deliveries()).map(({ state, failure }) => failure ?? state).sort();

test('however many deliveries of an account wait to be tried again, one message of the queue stands for them', async () => {
  const scene = await webhookScene();
  scene.answers.push(...Array<number>(12).fill(500));
  for (let n = 0; n < 6; n++) {
    scene.clock.nowMs++;
    await scene.deliver(await scene.change());
  }
  expect(scene.queue).toHaveLength(1);
  let messages = 0;
  await scene.drain(Infinity, (message) => (messages++, scene.work(message)));
  expect(await statesOf(scene)).toEqual(Array(6).fill('delivered'));
  // Twice tried again: the first is due some milliseconds before the others.
  expect(messages).toBeLessThanOrEqual(4);
});

test('a delivery that is due before the message comes gets one of its own, and the two become one again', async () => {
  const scene = await webhookScene();
  const hourAndHalf = 95 * MINUTE_MS;
  scene.answers.push(...Array<number>(4).fill(500));
  await scene.deliver(await scene.change());
  await scene.drain(scene.clock.nowMs + 36 * MINUTE_MS);
  scene.answers.push(...Array<number>(8).fill(500));
  await scene.deliver(await scene.change());
  expect(scene.queue).toHaveLength(2);
  await scene.drain(scene.clock.nowMs + hourAndHalf);
  expect(scene.queue).toHaveLength(1);
  await scene.drain();
  expect(await statesOf(scene)).toEqual(['delivered', 'delivered']);
});

test.each(['right before the lease is given back', 'right after it was sent'])(
  'a message that comes %s is not the last one of what waits',
  async (moment) => {
    const scene = await webhookScene();
    const { dependencies, clock, queue } = scene;
    const isEarly = moment.startsWith('right before');
    scene.answers.push(500, ...(isEarly ? [500] : []));
    await scene.deliver(await scene.change());
    const [promised] = queue;
    if (!promised) throw new Error('nothing waits');
    if (isEarly) {
      // The clock of the instance that has it is a little ahead.
      clock.nowMs = promised.dueMs - 1;
      // It joins, and there are the lease, the claim and the result.
      atUpdate(scene, 5, () => scene.work(queue.splice(queue.indexOf(promised), 1)[0]?.message as never));
      await scene.deliver(await scene.change());
    } else {
      queue.length = 0;
      clock.nowMs = promised.dueMs;
      // The first takes so long that the turn of the account is over.
      const { deliver } = dependencies;
      Object.assign(dependencies, { deliver: (sent: never) => ((clock.nowMs += MINUTE_MS / 6), deliver(sent)) });
      for (let n = 0; n < 4; n++) await scene.join(await scene.change());
      const message = queue.pop()?.message;
      queue.length = 0;
      const { send } = dependencies.queues.webhooks;
      let isFirst = true;
      Object.assign(dependencies.queues.webhooks, {
        send: async (messages: [never], delaySeconds: number) => {
          if (!isFirst) return send(messages, delaySeconds);
          isFirst = false;
          return scene.work(messages[0]);
        },
      });
      await scene.work(message as never);
    }
    expect(queue).not.toEqual([]);
    await scene.drain();
    expect(new Set(await statesOf(scene))).toEqual(new Set(['delivered']));
  },
);

test('as many wait as may, and one more is dropped and shown so, whatever is repeated; a test is tried nevertheless', async () => {
  const scene = await webhookScene();
  const { accountId, endpointId, owner, clock, store } = scene;
  const later = clock.nowMs + DAY_MS;
  const waiting = Object.fromEntries(Array.from({ length: MAX_WAITING - 1 }, (_, n) => [`ept_x#dlv_${n}`, later]));
  await putItem(store, { ...noticeItemKey.backlog(accountId), waiting, joined: 0 });
  scene.answers.push(500);
  const [last, beyond] = [await scene.change(), await scene.change()];
  await Promise.all([scene.join(last), scene.join(beyond), scene.join(last), scene.join(beyond)]);
  expect(await statesOf(scene)).toEqual(['dropped', 'waiting']);
  await Promise.all([scene.join(last), scene.join(beyond)]);
  await scene.deliver(await scene.asked(await testEndpoint(owner, accountId, endpointId)));
  expect(await statesOf(scene)).toEqual(['delivered', 'dropped', 'status']);
  const shown = await readDeliveries(owner, accountId, endpointId);
  expect(shown.find(({ failure }) => failure === 'dropped')).toMatchObject({ state: 'failed', attempts: 0 });
});

test.each([
  ['for all', 5, 1],
  // One write that is refused, one for the two, and three deliveries that are dropped.
  ['for two', 2, 5],
  ['for none', 0, 6],
])('a notice to five endpoints joins in one write, where there is room %s', async (_name, room, writes) => {
  const scene = await webhookScene();
  const { accountId, owner, clock, store, dependencies } = scene;
  for (let n = 0; n < 4; n++)
    await createEndpoint(owner, accountId, { url: `https://h${n}.example.com/`, kinds: ['project.suspended'] });
  const waiting = Object.fromEntries(
    Array.from({ length: MAX_WAITING - room }, (_, n) => [`ept_x#dlv_${n}`, clock.nowMs + DAY_MS]),
  );
  await putItem(store, { ...noticeItemKey.backlog(accountId), waiting, joined: 0 });
  const { notice, source } = await scene.notice();
  const { calls } = recordReadUnits(dependencies.store.client);
  await enqueueNotice(dependencies, notice, source);
  expect(calls.filter((name) => name === 'UpdateItem')).toHaveLength(writes);
  const seen = await statesOf(scene);
  expect(seen).toEqual([...Array<string>(5 - room).fill('dropped'), ...Array<string>(room).fill('waiting')]);
  expect(scene.queue).toHaveLength(room > 0 ? 1 : 0);
  // The record comes again: nothing changes, and what waits has its message.
  await enqueueNotice(dependencies, notice, source);
  expect(await statesOf(scene)).toEqual(seen);
  expect(scene.queue).toHaveLength(room > 0 ? 2 : 0);
});

test('where the store is away the message fails and finds the account free when it comes again', async () => {
  const scene = await webhookScene();
  const { deliver } = scene.dependencies;
  Object.assign(scene.dependencies, { deliver: () => Promise.reject(new StoreUnavailableError('down')) });
  const message = await scene.messageOf(await scene.change());
  await expect(scene.work(message)).rejects.toThrow('down');
  Object.assign(scene.dependencies, { deliver });
  scene.clock.nowMs += MINUTE_MS;
  await scene.work(message);
  expect([await statesOf(scene), scene.queue]).toEqual([['delivered'], []]);
});

test('one that fails by a defect waits an hour, is counted as a reason to roll back, and holds up no other', async () => {
  const scene = await webhookScene();
  const counted: string[] = [];
  Object.assign(scene.dependencies.telemetry, { count: (metric: string) => counted.push(metric) });
  const { deliver } = scene.dependencies;
  let calls = 0;
  Object.assign(scene.dependencies, {
    deliver: (sent: never) => (++calls === 1 ? Promise.reject(new Error('a defect')) : deliver(sent)),
  });
  await scene.join(await scene.change());
  await scene.deliver(await scene.change());
  expect(await statesOf(scene)).toEqual(['delivered', 'waiting']);
  expect(counted).toEqual(['NoticeFailures', 'NoticeBatchesFailed']);
  await scene.drain();
  expect(await statesOf(scene)).toEqual(['delivered', 'delivered']);
});

test('a lease whose answer was lost is taken nevertheless: the repeat knows its own', async () => {
  const scene = await webhookScene();
  const message = await scene.messageOf(await scene.change());
  let isFirst = true;
  scene.dependencies.store.client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'UpdateItemCommand' && isFirst) {
          isFirst = false;
          await next(args);
        }
        return next(args);
      },
    { step: 'build', name: 'twice' },
  );
  await scene.work(message);
  expect([await statesOf(scene), scene.queue]).toEqual([['delivered'], []]);
});

test('a message of the version before, which stands for one delivery, is taken for the account', async () => {
  const scene = await webhookScene();
  scene.answers.push(500);
  const [tried, fresh] = [await scene.change(), await scene.change()];
  await scene.deliver(tried);
  scene.queue.length = 0;
  scene.clock.nowMs += MINUTE_MS;
  for (const { accountId, source: sk, endpointId, deliveryId } of [tried, fresh]) {
    await scene.work({ kind: 'webhook', source: { accountId, sk }, endpointId, deliveryId });
  }
  await scene.drain();
  expect([await statesOf(scene), scene.received.length]).toEqual([['delivered', 'delivered'], 3]);
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
