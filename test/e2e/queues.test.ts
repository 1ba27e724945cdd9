import { expect, test } from '@jest/globals';
import type { MailMessage } from '../../functions/notices/message.ts';
import { sqsClient, sqsQueue } from '../../functions/notices/sqs-queue.ts';
import { startQueues, type SqsHandler } from '../../local/queues.ts';

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
    AWS_ENDPOINT_URL_SQS: new URL(queues.urls.mail).origin,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
  const client = sqsClient();
  const message = (sk: string): MailMessage => ({
    kind: 'mail',
    source: { accountId: 'acc_1', sk },
    to: { memberId: 'mem_1' },
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
