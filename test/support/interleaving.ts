import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/**
 * Runs something whole right before the nth database call of something else, the first being 1. Tells the answers of
 * both; of the other undefined where there were fewer calls.
 */
export async function interleaved<A, B>(
  client: DynamoDBClient,
  nth: number,
  one: () => Promise<A>,
  other: () => Promise<B>,
): Promise<[A, B | undefined]> {
  let calls = 0;
  let meanwhile: Promise<B> | undefined;
  let isBusy = false;
  client.middlewareStack.add(
    (next) => async (args) => {
      if (!isBusy && ++calls === nth) {
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
