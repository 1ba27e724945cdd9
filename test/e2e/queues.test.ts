import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { MailMessage } from '../../functions/notices/message.ts';
import { sqsClient, sqsQueue } from '../../functions/notices/sqs-queue.ts';
import { FairQueue, type FairQueueOptions, type Queued } from '../../local/fair-queue.ts';
import { startQueues, type SqsHandler } from '../../local/queues.ts';

/** A fair queue, and what its worker was given, in order; the work of each ends when it is told to. */
function scene(options: Partial<FairQueueOptions> = {}) {
  const given: string[] = [];
  const ends: (() => void)[] = [];
  const givenUp: Queued[] = [];
  const queue = new FairQueue({
    ...{ atOnce: 1, maxReceived: 3, pauseMs: 1 },
    work: async ({ body }) => {
      given.push(body);
      await new Promise<void>((resolve) => ends.push(resolve));
      return true;
    },
    onGivenUp: (message) => givenUp.push(message),
    ...options,
  });
  const add = (group: string, body: string, delayMs?: number) => {
    queue.add({ group, body, received: 0 }, delayMs);
  };
  /** Ends the oldest work, and lets the next begin. */
  const end = async (): Promise<void> => {
    ends.shift()?.();
    await sleep(0);
  };
  return { queue, given, givenUp, add, end };
}

describe('the fair queue', () => {
  test('lets an account with one message wait for no more than one of another, however many that has', async () => {
    const { given, add, end } = scene();
    for (let n = 0; n < 1_000; n++) add('busy', `busy ${n}`);
    add('other', 'other');
    for (let n = 0; n < 3; n++) await end();
    expect(given).toEqual(['busy 0', 'busy 1', 'other', 'busy 2']);
  });

  test('gives no account a second place while another one waits', async () => {
    const { given, add, end } = scene({ atOnce: 2 });
    add('busy', 'busy 0');
    add('busy', 'busy 1');
    add('busy', 'busy 2');
    add('other', 'other');
    // Nobody waited when the busy one took both places.
    expect(given).toEqual(['busy 0', 'busy 1']);
    await end();
    expect(given).toEqual(['busy 0', 'busy 1', 'other']);
  });

  test.each([
    ['says so', () => Promise.resolve(false)],
    ['rejects', () => Promise.reject(new Error('down'))],
  ])('gives a message that failed again, and then gives it up, where the worker %s', async (_how, work) => {
    const received: number[] = [];
    const done = Promise.withResolvers<Queued>();
    const { add } = scene({
      work: (message) => {
        received.push(message.received);
        return work();
      },
      onGivenUp: done.resolve,
    });
    add('account', 'message');
    expect(await done.promise).toEqual({ group: 'account', body: 'message', received: 3 });
    expect(received).toEqual([1, 2, 3]);
  });

  test('holds a message back that has a delay', async () => {
    const { given, add, end } = scene();
    add('account', 'later', 20);
    add('account', 'now');
    await end();
    expect(given).toEqual(['now']);
    await sleep(40);
    expect(given).toEqual(['now', 'later']);
  });

  test('forgets what waits when it stops, and waits for what is under way', async () => {
    const { queue, given, add, end } = scene();
    add('account', 'under way');
    add('account', 'waiting');
    add('account', 'held back', 1);
    const stopped = queue.stop().then(() => 'stopped');
    expect(await Promise.race([stopped, sleep(5, 'under way')])).toBe('under way');
    await end();
    expect(await stopped).toBe('stopped');
    add('account', 'too late');
    expect(given).toEqual(['under way']);
  });
});

test('the local queues give the function each message that its client of SQS has sent, each to its own queue', async () => {
  const given: { readonly from: string; readonly body: unknown; readonly group: string | undefined }[] = [];
  const all = Promise.withResolvers<undefined>();
  const handler: SqsHandler = ({ Records: [record] }) => {
    const { body, eventSourceARN = '', attributes } = record ?? {};
    const from = eventSourceARN.slice(eventSourceARN.lastIndexOf(':') + 1);
    given.push({ from, body: JSON.parse(body ?? ''), group: attributes?.MessageGroupId });
    if (given.length === 13) all.resolve(undefined);
    return Promise.resolve({ batchItemFailures: [] });
  };
  const queues = await startQueues(handler);
  Object.assign(process.env, {
    ...{ AWS_ENDPOINT_URL_SQS: new URL(queues.urls.mail).origin, AWS_REGION: 'us-east-1' },
    ...{ AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
  });
  const client = sqsClient();
  const message = (sk: string): MailMessage => ({
    ...{ kind: 'mail', source: { accountId: 'acc_1', sk }, to: { memberId: 'mem_1' } },
  });
  const mails = Array.from({ length: 12 }, (_, n) => message(`AUDIT#${n}`));
  await sqsQueue(client, queues.urls.mail).send(mails);
  await sqsQueue(client, queues.urls.webhook).send([message('AUDIT#webhook')]);
  await all.promise;
  const of = (name: string) => given.filter(({ from }) => from === name).map(({ body }) => body);
  expect(new Set(of('mail').map((body) => JSON.stringify(body)))).toEqual(
    new Set(mails.map((one) => JSON.stringify(one))),
  );
  expect(of('webhook')).toEqual([message('AUDIT#webhook')]);
  expect(new Set(given.map(({ group }) => group))).toEqual(new Set(['acc_1']));
  client.destroy();
  await queues.stop();
});

test('the local queues take nothing from a page, nor for a queue whose address is only guessed', async () => {
  const queues = await startQueues(() => Promise.reject(new Error('nothing was sent')));
  const send = async (headers: Record<string, string>, QueueUrl = queues.urls.mail) =>
    (await fetch(queues.urls.mail, { method: 'POST', headers, body: JSON.stringify({ QueueUrl, Entries: [] }) }))
      .status;
  const target = { 'x-amz-target': 'AmazonSQS.SendMessageBatch' };
  expect(await send(target)).toBe(200);
  expect(await send({})).toBe(403);
  expect(await send({ ...target, origin: 'https://evil.example.com' })).toBe(403);
  expect(await send(target, `${new URL(queues.urls.mail).origin}/mail`)).toBe(400);
  await queues.stop();
});
