import { expect, test } from '@jest/globals';
import { MAX_HOPS } from '../../functions/notices/message.ts';
import { RECURSIVE_LOOP } from '../../functions/notices/names.ts';
import { webhookScene } from '../support/webhooks.ts';

/** Lambda stops the 17th invocation of a chain (AWS, "Use Lambda recursive loop detection"). */
const STOPPED_AT = 17;

test('a delivery that waits for eight hours needs more hops than Lambda allows by itself, so the stack allows them', async () => {
  const scene = await webhookScene();
  scene.answers.push(...Array<number>(9).fill(500));
  await scene.deliver(await scene.change());
  let most = 0;
  const { work } = scene;
  await scene.drain(Infinity, (message) => {
    most = Math.max(most, message.hops ?? 0);
    return work(message);
  });
  expect(scene.received).toHaveLength(9);
  expect(most).toBeGreaterThan(STOPPED_AT);
  expect(most).toBeLessThan(MAX_HOPS / 2);
  expect(RECURSIVE_LOOP).toBe('Allow');
});

test('where a message has come back without end, what waits is dropped and shown so, and a metric says it that pages nobody', async () => {
  const scene = await webhookScene();
  scene.answers.push(500);
  const counted: string[] = [];
  Object.assign(scene.dependencies.telemetry, { count: (metric: string) => counted.push(metric) });
  const delivery = await scene.change();
  await scene.deliver(delivery);
  const { message } = scene.queue.pop() ?? {};
  await scene.work({ ...message, hops: MAX_HOPS } as never);
  expect([scene.queue, counted]).toEqual([[], ['NoticeHopsUsedUp']]);
  expect(await scene.deliveries()).toMatchObject([{ state: 'failed', failure: 'dropped' }]);
});
