import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/**
 * One of several database calls: its number, from 1 on, or an operation such as `TransactWriteItems` for the first of
 * it.
 */
export type Nth = number | string;

/**
 * Runs one thing completely, right before a database call of another. Returns the answers of both; undefined for the
 * inserted one when there was no such call.
 */
export async function interleaved<A, B>(
  client: DynamoDBClient,
  nth: Nth,
  one: () => Promise<A>,
  other: () => Promise<B>,
): Promise<[A, B | undefined]> {
  let calls = 0;
  let meanwhile: Promise<B> | undefined;
  let isBusy = false;
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const isIt = !isBusy && !meanwhile && (++calls === nth || commandName === `${nth}Command`);
        if (isIt) {
          isBusy = true;
          meanwhile = other();
          await meanwhile.finally(() => (isBusy = false));
        }
        return next(args);
      },
    { step: 'initialize', name: 'interleaved' },
  );
  try {
    const answer = await one();
    return [answer, await meanwhile];
  } finally {
    client.middlewareStack.remove('interleaved');
  }
}
