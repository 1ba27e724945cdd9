import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { deliveryIdOf, type StoredDelivery } from '../../functions/accounts/endpoints/deliveries.ts';
import { createEndpoint } from '../../functions/accounts/endpoints/endpoints.ts';
import { suspendProject, createProject } from '../../functions/accounts/projects/projects.ts';
import type { Delivery } from '../../functions/notices/dependencies.ts';
import type { Message, WebhookMessage } from '../../functions/notices/message.ts';
import { noticeOf } from '../../functions/notices/stream/notice-of.ts';
import { askedDelivery } from '../../functions/notices/webhooks/asked.ts';
import { onDelivery } from '../../functions/notices/webhooks/deliver.ts';
import { testGateway } from './gateway.ts';
import { testNotices } from './notices.ts';
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
  const queue: { readonly message: WebhookMessage; readonly delaySeconds: number }[] = [];
  const send = (messages: readonly Message[], delaySeconds = 0) => {
    queue.push(...messages.map((message) => ({ message: message as WebhookMessage, delaySeconds })));
    return Promise.resolve();
  };
  const { dependencies } = testNotices(gateway, {
    queues: { mail: { send }, webhooks: { send } },
    mailer: undefined,
    deliver: (delivery) => {
      received.push(delivery);
      const answer = answers.shift() ?? 200;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    stage: 'dev',
  });
  const deliver = (message: WebhookMessage) => onDelivery(dependencies, message);
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
    /** The message of a change that the endpoint is told of. */
    change: async (): Promise<WebhookMessage> => {
      const projectId = await createProject(store, { accountId, name: 'Trips', quotaLimit: 1_000 });
      await suspendProject(store, projectId);
      const events = await itemsOf({ store }, `ACCOUNT#${accountId}`);
      const event = events.find((item) => item.projectId === projectId && item.action === 'project.suspend') ?? {};
      const notice = noticeOf(event);
      if (!notice) throw new Error('the change tells nobody anything');
      const source = { accountId, sk: String(event.sk) };
      return { kind: 'webhook', source, endpointId, deliveryId: deliveryIdOf(notice, endpointId) };
    },
    /** The message of a delivery that was asked for, as the stream's record gives it. */
    asked: async (deliveryId: string): Promise<WebhookMessage> => {
      const item = (await deliveries()).find((delivery) => delivery.deliveryId === deliveryId);
      const message = item && askedDelivery(item);
      if (!message) throw new Error('nobody asked for it');
      return message;
    },
    /** Takes messages from the queue, each when it is due, until there is none or a time is over. */
    drain: async (untilMs = Infinity): Promise<void> => {
      for (;;) {
        const next = queue.shift();
        if (!next) return;
        clock.nowMs += next.delaySeconds * 1_000;
        if (clock.nowMs > untilMs) return;
        await deliver(next.message);
      }
    },
  };
}
export type WebhookScene = Awaited<ReturnType<typeof webhookScene>>;
