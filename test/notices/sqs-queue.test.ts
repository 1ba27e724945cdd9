import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { MailMessage } from '../../functions/notices/message.ts';
import { sqsClient, sqsQueue } from '../../functions/notices/sqs-queue.ts';
import { playSqs } from '../support/aws-services.ts';

const QUEUE = 'https://sqs.example.com/123456789012/mails';
const sqs = playSqs();
const queue = sqsQueue(sqsClient(), QUEUE);
afterAll(sqs.close);
beforeEach(() => {
  sqs.batches.length = 0;
  Object.assign(sqs, { refused: undefined, isSilent: false });
});

const message = (n: number, accountId = 'acc_1'): MailMessage => ({
  kind: 'mail',
  source: { accountId, sk: `AUDIT#${n}#` },
  to: { memberId: 'mem_1' },
});
const messages = (count: number): MailMessage[] => Array.from({ length: count }, (_, n) => message(n));
const sent = () => sqs.batches.flatMap((batch) => batch.messages);

describe('the queue at SQS', () => {
  test.each([
    [1, [1]],
    [10, [10]],
    [11, [1, 10]],
    [25, [5, 10, 10]],
  ])('takes %i messages in batches of at most ten, each once', async (count, sizes) => {
    await queue.send(messages(count));
    const made = sqs.batches.map((batch) => batch.messages.length);
    expect(made.sort((a, b) => a - b)).toEqual(sizes);
    const bodies = new Set(sent().map(({ MessageBody }) => MessageBody));
    expect(bodies).toEqual(new Set(messages(count).map((one) => JSON.stringify(one))));
    expect(new Set(sqs.batches.map((batch) => batch.queue))).toEqual(new Set([QUEUE]));
  });

  test('is not asked where there is nothing to send', async () => {
    await queue.send([]);
    expect(sqs.batches).toEqual([]);
  });

  test('is fair between accounts: each message is in the group of its own', async () => {
    await queue.send([message(0, 'acc_1'), message(1, 'acc_2'), message(2, 'acc_1')]);
    expect(sent().map(({ MessageGroupId }) => MessageGroupId)).toEqual(['acc_1', 'acc_2', 'acc_1']);
  });

  test('holds messages back as long as it is asked to, and else not at all', async () => {
    await queue.send([message(0)]);
    await queue.send([message(1)], 900);
    expect(sent().map(({ DelaySeconds }) => DelaySeconds)).toEqual([0, 900]);
  });

  test.each([false, true])('that does not take one of 25 fails, and has the others (unnamed: %p)', async (isSilent) => {
    Object.assign(sqs, { refused: 'AUDIT#12#', isSilent });
    await expect(queue.send(messages(25))).rejects.toMatchObject({
      name: 'QueueUnavailableError',
      cause: { message: `1 messages were not taken: ${isSilent ? 'no reason' : 'InternalError'}` },
    });
    expect(new Set(sent().map(({ MessageBody }) => MessageBody)).size).toBe(25);
  });
});
