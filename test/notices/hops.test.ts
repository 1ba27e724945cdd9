import { expect, test } from '@jest/globals';
import { MAX_HOPS } from '../../functions/notices/message.ts';
import { RECURSIVE_LOOP } from '../../functions/notices/names.ts';
import { webhookScene } from '../support/webhooks.ts';

/** Lambda stops the 17th invocation of a chain (AWS, "Use Lambda recursive loop detection"). */
const STOPPED_AT = 17;

test('the nine attempts of a delivery need more hops than Lambda allows by itself, so the stack allows them', async () => {
  const scene = await webhookScene();
  scene.answers.push(...Array<number>(9).fill(500));
  await scene.deliver(await scene.change());
  let hops = 0;
  for (;;) {
    const next = scene.queue.shift();
    if (!next) break;
    hops = Math.max(hops, next.message.hops ?? 0);
    scene.clock.nowMs += next.delaySeconds * 1_000;
    await scene.deliver(next.message);
  }
  expect(scene.received).toHaveLength(9);
  expect(hops).toBeGreaterThan(STOPPED_AT);
  expect(hops).toBeLessThan(MAX_HOPS / 2);
  expect(RECURSIVE_LOOP).toBe('Allow');
});

test('a message that comes back without end is left out, counted and never sent again', async () => {
  const scene = await webhookScene();
  scene.answers.push(500);
  const counted: string[] = [];
  Object.assign(scene.dependencies.telemetry, { count: (metric: string) => counted.push(metric) });
  await scene.deliver({ ...(await scene.change()), hops: MAX_HOPS });
  expect(scene.queue).toEqual([]);
  expect(counted).toEqual(['NoticeRecordsUnreadable']);
});
