import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A database call of something: by which it is, the first being 1, or as the first of its kind, such as `TransactWriteItems`. */
export type Nth = number | string;

/**
 * Runs something whole right before a database call of something else. Tells the answers of both; of the other undefined
 * where there was no such call.
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
