import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { newDelivery, type StoredDelivery } from '../../functions/accounts/endpoints/deliveries.ts';
import { createEndpoint } from '../../functions/accounts/endpoints/endpoints.ts';
import { suspendProject, createProject } from '../../functions/accounts/projects/projects.ts';
import type { Delivery } from '../../functions/notices/dependencies.ts';
import type { EarlierWebhookMessage, Message, WebhookMessage } from '../../functions/notices/message.ts';
import { noticeOf } from '../../functions/notices/stream/notice-of.ts';
import { makeDelivery } from '../../functions/notices/webhooks/deliver.ts';
import { onBacklog, queueDeliveries } from '../../functions/notices/webhooks/drain.ts';
import { testGateway } from './gateway.ts';
import { testNotices } from './notices.ts';
import { before } from './overtaking.ts';
import { itemsOf, ownAccount } from './people.ts';
import { noteSecret } from './secrets/journal.ts';
import { testClock } from './reports.ts';

/** An answer of an endpoint: its status, or an error instead of one. */
type Answer = number | Error;

/**
 * An account with an endpoint and its receiver, on the real engine, with a queue that keeps what is put into it.
 * Deliveries are made with the permissions of the notices function.
 */
export async function webhookScene() {
  const clock = testClock();
  const gateway = testGateway({ clock });
  const { accountId, store: owner } = await ownAccount(gateway);
  const store: AccountStore = { ...gateway.store, clock, actor: () => Promise.resolve('notices') };
  const details = { url: 'https://hooks.example.com/a', kinds: ['project.suspended'] } as const;
  const { endpointId, secret } = await createEndpoint(owner, accountId, details);
  noteSecret('secret of an endpoint', secret);
  const received: Delivery[] = [];
  const answers: Answer[] = [];
  const queue: { readonly message: WebhookMessage; readonly dueMs: number }[] = [];
  const send = (messages: readonly Message[], delaySeconds = 0) => {
    const dueMs = clock.nowMs + delaySeconds * 1_000;
    queue.push(...messages.map((message) => ({ message: message as WebhookMessage, dueMs })));
    return Promise.resolve();
  };
  /** Takes the first message out of the queue, unless it comes after this time. */
  const take = (untilMs: number) => {
    const [next] = queue.toSorted((a, b) => a.dueMs - b.dueMs);
    return next && next.dueMs <= untilMs ? queue.splice(queue.indexOf(next), 1)[0] : undefined;
  };
  const { dependencies } = testNotices(gateway, {
    queues: { mail: { send }, webhooks: { send }, daily: { send } },
    mailer: undefined,
    deliver: (delivery) => {
      received.push(delivery);
      const answer = answers.shift() ?? 200;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    stage: 'dev',
  });
  const work = (message: WebhookMessage | EarlierWebhookMessage) => onBacklog(dependencies, message);
  /** Has a delivery wait, as the stream's record does. */
  const join = (delivery: StoredDelivery) => queueDeliveries(dependencies, accountId, [delivery]);
  /** The same, and takes what the queue has now. */
  const deliver = async (delivery: StoredDelivery): Promise<void> => {
    await join(delivery);
    for (let next = take(clock.nowMs); next; next = take(clock.nowMs)) await work(next.message);
  };
  /** A change that an endpoint may be told of. */
  const notice = async () => {
    const projectId = await createProject(store, { accountId, name: 'Trips', quotaLimit: 1_000 });
    await suspendProject(store, projectId);
    const events = await itemsOf({ store }, `ACCOUNT#${accountId}`);
    const event = events.find((item) => item.projectId === projectId && item.action === 'project.suspend') ?? {};
    const told = noticeOf(event);
    if (!told) throw new Error('the change tells nobody anything');
    return { notice: told, source: { accountId, sk: String(event.sk) } };
  };
  const deliveries = async (): Promise<StoredDelivery[]> =>
    (await itemsOf({ store }, `NOTICES#${accountId}`)).filter(({ sk }) => String(sk).startsWith('DELIVERY#')) as never;
  return {
    gateway,
    clock,
    store,
    owner,
    accountId,
    endpointId,
    secret,
    received,
    answers,
    queue,
    dependencies,
    deliver,
    deliveries,
    work,
    join,
    /** An attempt by another drain, as where the lease of the first has ended. */
    attempt: async (delivery: StoredDelivery): Promise<void> => {
      await join(delivery);
      await makeDelivery(dependencies, delivery);
    },
    /** Has a delivery wait. The message is that which wakes the account. */
    messageOf: async (delivery: StoredDelivery): Promise<WebhookMessage> => {
      await join(delivery);
      const next = queue.pop();
      if (!next) throw new Error('the account is awake');
      return next.message;
    },
    notice,
    /** The delivery of a change that the endpoint is told of. */
    change: async (): Promise<StoredDelivery> => {
      const { notice: told, source } = await notice();
      return newDelivery(store, told, { source: source.sk, endpointId });
    },
    /** A delivery that was asked for, as the stream's record gives it. */
    asked: async (deliveryId: string): Promise<StoredDelivery> => {
      const item = (await deliveries()).find((delivery) => delivery.deliveryId === deliveryId);
      if (!item?.isAsked) throw new Error('nobody asked for it');
      return item;
    },
    /** Takes messages from the queue, each when it comes, until there is none or a time is over. */
    drain: async (untilMs = Infinity, handle = work): Promise<void> => {
      for (let next = take(untilMs); next; next = take(untilMs)) {
        clock.nowMs = Math.max(clock.nowMs, next.dueMs);
        await handle(next.message);
      }
    },
  };
}
export type WebhookScene = Awaited<ReturnType<typeof webhookScene>>;

/** Does something else right before the nth update from now on. */
export function atUpdate({ dependencies }: WebhookScene, nth: number, meanwhile: () => Promise<unknown>): void {
  let updates = 0;
  before(dependencies, 'UpdateItemCommand', async () => (++updates === nth ? meanwhile() : undefined), nth);
}
