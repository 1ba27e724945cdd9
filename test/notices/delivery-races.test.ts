import { expect, test } from '@jest/globals';
import { repeatDelivery } from '../../functions/accounts/endpoints/deliveries.ts';
import { deleteEndpoint, updateEndpoint } from '../../functions/accounts/endpoints/endpoints.ts';
import { readEndpoint } from '../../functions/accounts/endpoints/stored-endpoints.ts';
import { MINUTE_MS } from '../support/times.ts';
import { atUpdate, webhookScene, type WebhookScene } from '../support/webhooks.ts';

/** What happens during each attempt, in order, and what the endpoint then answers. Returns how many were made. */
function attempts(scene: WebhookScene, ...during: readonly (() => number | Promise<number>)[]): () => number {
  let made = 0;
  Object.assign(scene.dependencies, { deliver: async () => during[made++]?.() ?? 200 });
  return () => made;
}
const failingSince = async ({ store, accountId, endpointId }: WebhookScene) =>
  (await readEndpoint(store, accountId, endpointId)).failingSinceMs;
const moved = ({ owner, accountId, endpointId }: WebhookScene) =>
  updateEndpoint(owner, accountId, endpointId, { url: 'https://new.example.com/' });

test('while an attempt is under way, whoever wakes the account makes none, and nothing is sent again', async () => {
  const scene = await webhookScene();
  const message = await scene.change();
  const made = attempts(scene, async () => {
    await scene.deliver(message);
    return 200;
  });
  await scene.deliver(message);
  expect([made(), scene.queue]).toEqual([1, []]);
});

test('what joins while the drain ends is made by it, and a drain that was too slow takes nothing from the next', async () => {
  const scene = await webhookScene();
  const [first, second, third] = [await scene.change(), await scene.change(), await scene.change()];
  const made = attempts(scene);
  const message = await scene.messageOf(first);
  // The lease, the claim and the result: the fourth gives the lease back.
  atUpdate(scene, 4, () => scene.join(second));
  await scene.work(message);
  expect([made(), scene.queue]).toEqual([2, []]);
  attempts(scene, async () => {
    scene.clock.nowMs += MINUTE_MS;
    await scene.deliver(third);
    return 500;
  });
  await scene.deliver(await scene.change());
  await scene.drain();
  expect((await scene.deliveries()).map(({ state }) => state)).toEqual(Array(4).fill('delivered'));
});

test.each([200, 500])(
  'an answer of %i that comes after that of a later attempt changes nothing of the delivery',
  async (late) => {
    const scene = await webhookScene();
    const message = await scene.change();
    const made = attempts(
      scene,
      async () => {
        scene.clock.nowMs += MINUTE_MS;
        await scene.attempt(message);
        return late;
      },
      () => 204,
    );
    await scene.deliver(message);
    await scene.drain();
    expect(made()).toBe(2);
    expect(await scene.deliveries()).toMatchObject([{ state: 'delivered', attempts: 2, status: 204 }]);
  },
);

test('a failure of an address that is not that of the endpoint any more is none of the endpoint', async () => {
  const scene = await webhookScene();
  attempts(scene, async () => {
    await moved(scene);
    return 500;
  });
  await scene.deliver(await scene.change());
  expect(await failingSince(scene)).toBeUndefined();
});

test('what arrives at an old address does not end the failures of the new one', async () => {
  const scene = await webhookScene();
  const { clock } = scene;
  const [first, second] = [await scene.change(), await scene.change()];
  let newFailureMs = 0;
  attempts(
    scene,
    () => 500,
    async () => {
      await moved(scene);
      newFailureMs = clock.nowMs += 1;
      await scene.attempt(second);
      return 200;
    },
    () => 500,
  );
  await scene.deliver(first);
  clock.nowMs += MINUTE_MS;
  await scene.deliver(first);
  expect(newFailureMs).toBeGreaterThan(0);
  expect(await failingSince(scene)).toBe(newFailureMs);
});

test('an endpoint that is deleted during its last attempt leaves nothing to try again', async () => {
  const scene = await webhookScene();
  attempts(scene, async () => {
    await deleteEndpoint(scene.owner, scene.accountId, scene.endpointId);
    return 410;
  });
  await scene.deliver(await scene.change());
  expect(scene.queue).toEqual([]);
  expect(await scene.deliveries()).toMatchObject([{ state: 'failed', status: 410 }]);
});

test('a delivery that arrives by its repeat stays delivered, also while its own message finds the endpoint off', async () => {
  const scene = await webhookScene();
  const { owner, accountId, endpointId } = scene;
  attempts(scene, () => 500);
  const message = await scene.change();
  await scene.deliver(message);
  await updateEndpoint(owner, accountId, endpointId, { status: 'disabled' });
  const repeat = await scene.asked(await repeatDelivery(owner, accountId, endpointId, message.deliveryId));
  scene.clock.nowMs += MINUTE_MS;
  // It joins, and there are the lease and the end.
  atUpdate(scene, 3, () => scene.attempt(repeat));
  await scene.deliver(message);
  expect(await scene.deliveries()).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]);
});
