import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { createEndpoint } from '../../../functions/accounts/endpoints.ts';
import { suspendProject } from '../../../functions/accounts/projects.ts';
import { MS_PER_SECOND } from '../../../functions/core/clock.ts';
import { generateDeliveryId } from '../../../functions/core/ids.ts';
import { noticesHandler } from '../../../functions/notices/dispatch.ts';
import type { Queue, WebhookMessage } from '../../../functions/notices/message.ts';
import { deliverer } from '../../../functions/notices/webhooks/post.ts';
import { MESSAGES_AT_ONCE } from '../../../functions/notices/wiring.ts';
import { FairQueue } from '../../../local/fair-queue.ts';
import { listen } from '../../../local/listening.ts';
import { tenant, testGateway } from '../../support/gateway.ts';
import { testNotices } from '../../support/notices.ts';
import { itemsOf } from '../../support/people.ts';
import { onFreshEngine } from '../engine.ts';
import type { SoakPart } from '../part.ts';

const FAILING = 1_000;
/** A neighbour waits at most for one delivery that hangs until its time is over, and some time on a busy machine. */
const MAX_MS = 6_000;

/**
 * The first deliveries of many accounts, one after another, beside a thousand of one account that fail: by the function,
 * from a queue that is fair as those of SQS, with as many at once as are deployed.
 */
export const webhooks: SoakPart = {
  promise: 'an account whose deliveries fail delays no other by more than one of them',
  unit: 'neighbours',
  defaultAmount: 40,
  run: ({ amount, progress }) =>
    onFreshEngine(0, async () => {
      const figures: Record<string, number> = { neighbours: amount, failing: FAILING };
      for (const [i, how] of ['alone', 'answering 500', 'hanging'].entries()) {
        const waits = await waitsBeside(how, Math.ceil(amount / 3), (done) => {
          progress(Math.min(amount, i * Math.ceil(amount / 3) + done));
        });
        const sorted = waits.toSorted((a, b) => a - b);
        figures[`${how}P50Ms`] = Math.round(sorted[Math.floor(sorted.length / 2)] ?? NaN);
        figures[`${how}MaxMs`] = Math.round(sorted.at(-1) ?? NaN);
        assert.ok((sorted.at(-1) ?? Infinity) < MAX_MS, `beside deliveries that are ${how}: ${sorted.join(', ')}`);
      }
      return figures;
    }),
};

/** How long each neighbour's first delivery takes to arrive, in milliseconds. */
async function waitsBeside(how: string, neighbours: number, progress: (done: number) => void): Promise<number[]> {
  const gateway = testGateway();
  const clock = { now: () => Date.now() };
  const arrivals = new Map<string, (atMs: number) => void>();
  const server = createServer(({ url = '' }, response) => {
    arrivals.get(url)?.(performance.now());
    if (url === '/hanging') return;
    response.writeHead(url === '/answering%20500' ? 500 : 204).end();
  });
  const origin = `http://localhost:${await listen(server, 0)}`;
  const fair = new FairQueue({
    ...{ atOnce: MESSAGES_AT_ONCE.webhook, maxReceived: Infinity, pauseMs: 1_000, onGivenUp: () => undefined },
    work: async ({ body }) => {
      const { batchItemFailures } = await handle({ Records: [{ messageId: '1', body } as never] }, () => Infinity);
      return batchItemFailures.length === 0;
    },
  });
  const queue: Queue = {
    send: (sent, delaySeconds = 0) => {
      for (const message of sent) {
        const { accountId: group } = message.source;
        fair.add({ group, body: JSON.stringify(message), received: 0 }, delaySeconds * MS_PER_SECOND);
      }
      return Promise.resolve();
    },
  };
  const { dependencies } = testNotices(
    { store: { ...gateway.store, clock } },
    { queues: { mail: queue, webhooks: queue }, deliver: deliverer({ isLocal: true }) },
  );
  const handle = noticesHandler(dependencies);
  /** Messages to an endpoint of a new account. */
  const messages = async (path: string, count: number): Promise<WebhookMessage[]> => {
    const { accountId, projectId } = await tenant(gateway);
    await suspendProject(gateway.store, projectId);
    const url = `${origin}${path}`;
    const { endpointId } = await createEndpoint(gateway.store, accountId, { url, kinds: ['project.suspended'] });
    const events = await itemsOf(gateway, `ACCOUNT#${accountId}`);
    const source = { accountId, sk: String(events.find(({ action }) => action === 'project.suspend')?.sk) };
    const message = () => ({ source, endpointId, deliveryId: generateDeliveryId(clock.now(), randomBytes) });
    return Array.from({ length: count }, () => ({ kind: 'webhook', ...message() }));
  };
  try {
    await queue.send(how === 'alone' ? [] : await messages(`/${encodeURIComponent(how)}`, FAILING));
    const waits: number[] = [];
    for (let n = 0; n < neighbours; n++) {
      const own = await messages(`/neighbour/${n}`, 1);
      const { promise, resolve } = Promise.withResolvers<number>();
      arrivals.set(`/neighbour/${n}`, resolve);
      const sentAtMs = performance.now();
      await queue.send(own);
      waits.push((await promise) - sentAtMs);
      progress(n + 1);
    }
    return waits;
  } finally {
    server.closeAllConnections();
    server.close();
    await fair.stop();
  }
}
