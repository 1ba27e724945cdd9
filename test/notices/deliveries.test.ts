import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { closeAccount } from '../../functions/accounts/projects/account-closing.ts';
import { readDeliveries, repeatDelivery, testEndpoint } from '../../functions/accounts/endpoints/deliveries.ts';
import { deleteEndpoint, rotateEndpointSecret, updateEndpoint } from '../../functions/accounts/endpoints/endpoints.ts';
import { readEndpoint } from '../../functions/accounts/endpoints/stored-endpoints.ts';
import { NOTICE_SAMPLES } from '../../functions/notices/webhooks/samples.ts';
import { listAudit } from '../../functions/accounts/authority/audit.ts';
import { onBacklog } from '../../functions/notices/webhooks/drain.ts';
import { DeliveryError } from '../../functions/notices/webhooks/post.ts';
import { pauseAfter } from '../../functions/notices/webhooks/deliver.ts';
import { DAY_MS, MINUTE_MS } from '../support/times.ts';
import type { WebhookMessage } from '../../functions/notices/message.ts';
import { webhookScene, type WebhookScene } from '../support/webhooks.ts';

/** A drain by a process that dies at one of its updates, which is the nth: before it, or once it is made. */
function dyingAt({ dependencies }: WebhookScene, nth: number, isMade: boolean, message: WebhookMessage) {
  const { store } = dependencies;
  let updates = 0;
  const client = new Proxy(store.client, {
    get: (real, name) => {
      if (name !== 'send') return Reflect.get(real, name) as unknown;
      return async (...args: [{ constructor: { name: string } }]) => {
        const isIt = args[0].constructor.name === 'UpdateCommand' && ++updates === nth;
        if (updates > nth || (isIt && !isMade)) throw new Error('the process has died');
        const answer: unknown = await (real.send as (...all: unknown[]) => Promise<unknown>)(...args);
        if (isIt) throw new Error('the process has died');
        return answer;
      };
    },
  });
  return onBacklog({ ...dependencies, store: { ...store, client } }, message);
}
/** The queue gives a message again that was not handled to its end. */
async function giveAgain(scene: WebhookScene, message: WebhookMessage): Promise<void> {
  scene.clock.nowMs += 4 * MINUTE_MS;
  await scene.work(message);
  await scene.drain();
}
const failing = (tries: number): number[] => Array<number>(tries).fill(500);
const refused = (): DeliveryError => new DeliveryError('connection');
const stateOf = async ({ store, accountId, endpointId }: WebhookScene) => {
  const endpoint = await readEndpoint(store, accountId, endpointId);
  return [endpoint.status, endpoint.disabledBy, endpoint.failingSinceMs];
};
/** The library of the standard reads the machine's clock, so it is told that of the test. */
function verified(secret: string, { headers, body }: WebhookScene['received'][number], nowMs: number): unknown {
  const original = Date.now;
  Date.now = () => nowMs;
  try {
    return new Webhook(secret).verify(body, { ...headers });
  } finally {
    Date.now = original;
  }
}

describe('a delivery', () => {
  test('is verified by the library of the standard, and tells ids and numbers only', async () => {
    const scene = await webhookScene();
    const { clock, secret, received, accountId } = scene;
    const message = await scene.change();
    await scene.deliver(message);
    expect(received).toHaveLength(1);
    const [delivery] = received as [WebhookScene['received'][number]];
    const told = verified(secret, delivery, clock.nowMs);
    expect(told).toEqual({
      type: 'project.suspended',
      timestamp: new Date(clock.nowMs).toISOString(),
      data: { accountId, projectId: expect.stringMatching(/^[0-9A-Za-z]{12}$/) as unknown },
    });
    expect(() => verified(`whsec_${Buffer.alloc(32).toString('base64')}`, delivery, clock.nowMs)).toThrow();
    const tampered = { ...delivery, body: delivery.body.replace('suspended', 'resumed') };
    expect(() => verified(secret, tampered, clock.nowMs)).toThrow();
    expect(delivery.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'sandbox-gateway-webhooks/1',
    });
    expect((await scene.deliveries())[0]).toMatchObject({ state: 'delivered', attempts: 1, status: 200 });
  });

  test('is made once, however often its account is woken at once', async () => {
    const scene = await webhookScene();
    const delivery = await scene.change();
    const message = await scene.messageOf(delivery);
    const answer = Promise.withResolvers<undefined>();
    const { deliver } = scene.dependencies;
    // The receiver answers once the nine others have ended.
    Object.assign(scene.dependencies, { deliver: (sent: never) => answer.promise.then(() => deliver(sent)) });
    let ended = 0;
    const one = () =>
      scene.work(message).finally(() => {
        ended += 1;
        if (ended === 9) answer.resolve(undefined);
      });
    await Promise.all(Array.from({ length: 10 }, one));
    expect([scene.received.length, scene.queue]).toEqual([1, []]);
    await scene.deliver(delivery);
    expect([scene.received.length, scene.queue]).toEqual([1, []]);
  });

  test('is tried nine times in a day, with growing pauses and under one id, and is then given up', async () => {
    const scene = await webhookScene();
    const { clock, answers, received } = scene;
    answers.push(...Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 500 : refused())));
    const startMs = clock.nowMs;
    const times: number[] = [];
    const { deliver } = scene.dependencies;
    Object.assign(scene.dependencies, {
      deliver: (delivery: never) => {
        times.push((clock.nowMs - startMs) / MINUTE_MS);
        return deliver(delivery);
      },
    });
    await scene.deliver(await scene.change());
    await scene.drain();
    expect(times).toEqual([0, 0.5, 5.5, 35.5, 95.5, 215.5, 455.5, 935.5, 1415.5]);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(9);
    expect(await scene.deliveries()).toMatchObject([{ state: 'failed', attempts: 9, status: 500, failure: 'status' }]);
    // One that failed is not enough to switch the endpoint off.
    expect(await stateOf(scene)).toEqual(['active', undefined, startMs]);
  });

  test('pauses up to a tenth less, so that deliveries which failed together do not come back together', () => {
    expect([0, 0.5, 0.999].map((random) => pauseAfter(1, random))).toEqual([30_000, 28_500, 27_003]);
  });

  test('arrives after failures, and nothing is left of them', async () => {
    const scene = await webhookScene();
    scene.answers.push(500, 300, 302, refused(), new DeliveryError('timeout'), 0, 299);
    await scene.deliver(await scene.change());
    await scene.drain();
    expect(await scene.deliveries()).toMatchObject([{ state: 'delivered', attempts: 7, status: 299 }]);
    expect((await scene.deliveries())[0]).not.toHaveProperty('failure');
    expect(await stateOf(scene)).toEqual(['active', undefined, undefined]);
  });

  test.each([
    ['leased', 1, true],
    ['claimed', 2, true],
    ['tried', 3, false],
    ['noted', 3, true],
    ['given back', 4, true],
  ] as const)('whose process dies once it is %s is made nevertheless', async (moment, nth, isMade) => {
    const scene = await webhookScene();
    const message = await scene.messageOf(await scene.change());
    await expect(dyingAt(scene, nth, isMade, message)).rejects.toThrow('died');
    await giveAgain(scene, message);
    expect((await scene.deliveries())[0]).toMatchObject({ state: 'delivered' });
    expect(new Set(scene.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect([scene.received.length, scene.queue]).toEqual([moment === 'tried' ? 2 : 1, []]);
  });

  test('to an endpoint that is off or deleted meanwhile is not made', async () => {
    for (const end of ['disabled', 'deleted']) {
      const scene = await webhookScene();
      scene.answers.push(500);
      await scene.deliver(await scene.change());
      const { owner, accountId, endpointId } = scene;
      if (end === 'deleted') await deleteEndpoint(owner, accountId, endpointId);
      else await updateEndpoint(owner, accountId, endpointId, { status: 'disabled' });
      await scene.drain();
      await scene.deliver(await scene.change());
      expect(scene.received).toHaveLength(1);
      const ended = { state: 'failed', failure: 'withdrawn' };
      expect(await scene.deliveries()).toMatchObject([ended, ended]);
    }
  });

  test('of an account that is closed meanwhile is not made', async () => {
    const scene = await webhookScene();
    const { owner, accountId, endpointId } = scene;
    scene.answers.push(500);
    await scene.deliver(await scene.change());
    const asked = await scene.asked(await testEndpoint(owner, accountId, endpointId));
    await closeAccount(owner, accountId);
    await scene.deliver(asked);
    await scene.drain();
    expect(scene.received).toHaveLength(1);
    expect((await scene.deliveries()).map(({ failure }) => failure)).toEqual(['withdrawn', 'withdrawn']);
  });

  test('of a sample has what its type has, and says that it is one; a repeat of it, too', async () => {
    const scene = await webhookScene();
    const { owner, accountId, endpointId, received } = scene;
    const deliveryId = await testEndpoint(owner, accountId, endpointId, 'key.expiring');
    await scene.deliver(await scene.asked(deliveryId));
    await scene.deliver(await scene.asked(await repeatDelivery(owner, accountId, endpointId, deliveryId)));
    const sample = { type: 'key.expiring', data: { accountId, ...NOTICE_SAMPLES['key.expiring'], isSample: true } };
    expect(received.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      expect.objectContaining(sample),
      expect.objectContaining(sample),
    ]);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect((await scene.deliveries()).map(({ body }) => body)).toContain(received[0]?.body);
  });

  test('that was repeated by hand waits no longer once the repeat has arrived', async () => {
    const scene = await webhookScene();
    const { owner, accountId, endpointId, answers, received } = scene;
    answers.push(500);
    const message = await scene.change();
    await scene.deliver(message);
    const repeat = await repeatDelivery(owner, accountId, endpointId, message.deliveryId);
    await scene.deliver(await scene.asked(repeat));
    await scene.drain();
    expect(received).toHaveLength(2);
    expect(await scene.deliveries()).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]);
  });

  test('that fails while its repeat arrives does not wait again', async () => {
    const scene = await webhookScene();
    const { owner, accountId, endpointId, dependencies } = scene;
    const message = await scene.change();
    const { deliver } = dependencies;
    let isFirst = true;
    Object.assign(dependencies, {
      deliver: async (delivery: never) => {
        if (!isFirst) return deliver(delivery);
        isFirst = false;
        const repeat = await repeatDelivery(owner, accountId, endpointId, message.deliveryId);
        await scene.attempt(await scene.asked(repeat));
        return 500;
      },
    });
    await scene.deliver(message);
    await scene.drain();
    expect(scene.received).toHaveLength(1);
    expect(await scene.deliveries()).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]);
  });

  test('is signed under both secrets for a day after a rotation, and never longer', async () => {
    const scene = await webhookScene();
    const { clock, owner, accountId, endpointId, secret, received } = scene;
    const { secret: next } = await rotateEndpointSecret(owner, accountId, endpointId);
    await scene.deliver(await scene.change());
    clock.nowMs += DAY_MS - 1;
    await scene.deliver(await scene.change());
    const rotatedTwice = clock.nowMs;
    const { secret: last } = await rotateEndpointSecret(owner, accountId, endpointId);
    await scene.deliver(await scene.change());
    const fits = (given: string, i: number, nowMs: number): boolean => {
      try {
        return verified(given, received[i] as never, nowMs) !== undefined;
      } catch {
        return false;
      }
    };
    const byTime = [rotatedTwice - DAY_MS + 1, rotatedTwice, rotatedTwice];
    expect(byTime.map((nowMs, i) => [secret, next, last].map((given) => fits(given, i, nowMs)))).toEqual([
      [true, true, false],
      [true, true, false],
      [false, true, true],
    ]);
    clock.nowMs += DAY_MS;
    await scene.deliver(await scene.change());
    expect([next, last].map((given) => fits(given, 3, clock.nowMs))).toEqual([false, true]);
  });
});

describe('an endpoint', () => {
  test('to which nothing arrives for three days is switched off, once, and its owners are told', async () => {
    const scene = await webhookScene();
    const { clock, store, accountId, endpointId } = scene;
    scene.answers.push(...failing(100));
    const startMs = clock.nowMs;
    while ((await readEndpoint(store, accountId, endpointId)).status === 'active') {
      await scene.deliver(await scene.change());
      await scene.drain();
      clock.nowMs += 60 * MINUTE_MS;
    }
    expect(clock.nowMs - startMs).toBeGreaterThanOrEqual(3 * DAY_MS);
    expect(clock.nowMs - startMs).toBeLessThan(4 * DAY_MS);
    expect((await stateOf(scene)).slice(0, 2)).toEqual(['disabled', 'failures']);
    const events = await Array.fromAsync(listAudit(store, accountId));
    expect(events.filter(({ action }) => action === 'endpoint.disable')).toMatchObject([
      { actor: 'notices', endpointId, after: { status: 'disabled' } },
    ]);
  });

  test('that failed days ago is not switched off by a first try that fails, but where its delivery is given up', async () => {
    const scene = await webhookScene();
    const { clock, answers } = scene;
    answers.push(...failing(9));
    await scene.deliver(await scene.change());
    await scene.drain();
    clock.nowMs += 10 * DAY_MS;
    answers.push(500);
    await scene.deliver(await scene.change());
    expect((await stateOf(scene))[0]).toBe('active');
    await scene.drain();
    expect(await stateOf(scene)).toEqual(['active', undefined, undefined]);
    answers.push(...failing(9));
    await scene.deliver(await scene.change());
    await scene.drain();
    clock.nowMs += 10 * DAY_MS;
    answers.push(...failing(9));
    await scene.deliver(await scene.change());
    await scene.drain();
    expect((await stateOf(scene)).slice(0, 2)).toEqual(['disabled', 'failures']);
  });

  test('to which something arrived meanwhile is not switched off for what failed before, though it fails again', async () => {
    const scene = await webhookScene();
    const { clock, answers } = scene;
    answers.push(...failing(9));
    await scene.deliver(await scene.change());
    await scene.drain();
    clock.nowMs += 3 * DAY_MS;
    const [late, well, broken] = [await scene.change(), await scene.change(), await scene.change()];
    const answering = (deliver: () => number | Promise<number>): void => {
      Object.assign(scene.dependencies, { deliver: async () => deliver() });
    };
    let tries = 0;
    answering(async () => {
      if (++tries < 9) return 500;
      answering(() => 200);
      await scene.attempt(well);
      clock.nowMs += MINUTE_MS;
      answering(() => 500);
      await scene.attempt(broken);
      return 500;
    });
    await scene.deliver(late);
    await scene.drain();
    expect((await scene.deliveries()).map(({ state }) => state).sort()).toEqual([
      'delivered',
      'failed',
      'failed',
      'failed',
    ]);
    expect((await stateOf(scene)).slice(0, 2)).toEqual(['active', undefined]);
  });

  test('to which something arrived is not failing any more, also where the process died right after it was noted', async () => {
    const scene = await webhookScene();
    scene.answers.push(500);
    const message = await scene.change();
    await scene.deliver(message);
    scene.clock.nowMs += MINUTE_MS;
    // The lease, the claim and one write more are made.
    await expect(dyingAt(scene, 4, false, await scene.messageOf(message))).rejects.toThrow('died');
    scene.clock.nowMs += 10 * MINUTE_MS;
    await scene.deliver(message);
    expect((await scene.deliveries())[0]).toMatchObject({ state: 'delivered' });
    expect(await stateOf(scene)).toEqual(['active', undefined, undefined]);
  });

  test('that answers 410 is switched off at once, and its delivery is not tried again', async () => {
    const scene = await webhookScene();
    scene.answers.push(410);
    await scene.deliver(await scene.change());
    expect((await stateOf(scene)).slice(0, 2)).toEqual(['disabled', 'failures']);
    expect(await scene.deliveries()).toMatchObject([{ state: 'failed', attempts: 1, status: 410 }]);
    expect(scene.queue).toEqual([]);
  });

  test('that has another address meanwhile is not switched off for the failures of the old one', async () => {
    const scene = await webhookScene();
    const { clock, owner, accountId, endpointId } = scene;
    scene.answers.push(...failing(9));
    await scene.deliver(await scene.change());
    await scene.drain();
    clock.nowMs += 3 * DAY_MS;
    let tries = 0;
    Object.assign(scene.dependencies, {
      deliver: async () => {
        // During the last try, after which the delivery is given up.
        if (++tries === 9) await updateEndpoint(owner, accountId, endpointId, { url: 'https://new.example.com/' });
        return 500;
      },
    });
    await scene.deliver(await scene.change());
    await scene.drain();
    expect(tries).toBe(9);
    expect(await stateOf(scene)).toEqual(['active', undefined, undefined]);
  });
});

describe('a delivery that is asked for', () => {
  test('is a test: signed, tried once, also where the endpoint is off', async () => {
    const scene = await webhookScene();
    const { owner, accountId, endpointId, clock, secret, received, answers } = scene;
    await updateEndpoint(owner, accountId, endpointId, { status: 'disabled' });
    answers.push(500, 200);
    for (const state of ['failed', 'delivered']) {
      clock.nowMs += 1;
      const deliveryId = await testEndpoint(owner, accountId, endpointId);
      await scene.deliver(await scene.asked(deliveryId));
      const [newest] = await readDeliveries(owner, accountId, endpointId);
      expect(newest).toMatchObject({ deliveryId, type: 'endpoint.test', state, attempts: 1 });
    }
    expect(verified(secret, received[1] as never, clock.nowMs)).toMatchObject({
      type: 'endpoint.test',
      data: { accountId, endpointId },
    });
    expect(scene.queue).toEqual([]);
  });

  test('is no failure of its endpoint, whatever the answer', async () => {
    for (const answer of [500, 410, refused()]) {
      const scene = await webhookScene();
      scene.answers.push(answer);
      await scene.deliver(await scene.asked(await testEndpoint(scene.owner, scene.accountId, scene.endpointId)));
      expect(await scene.deliveries()).toMatchObject([{ state: 'failed', attempts: 1 }]);
      expect(await stateOf(scene)).toEqual(['active', undefined, undefined]);
    }
  });
});
