import { TransactionCanceledException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';

/** Does something else completely right before the calls that are meant. Its own calls are none of them. */
function insert(
  client: Pick<DynamoDBClient, 'middlewareStack'>,
  name: string,
  isMeant: (commandName: string) => boolean,
  meanwhile: () => Promise<unknown>,
): void {
  let isBusy = false;
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (!isBusy && isMeant(commandName)) {
          isBusy = true;
          await meanwhile().finally(() => (isBusy = false));
        }
        return next(args);
      },
    { step: 'initialize', name },
  );
}

/**
 * Does something else right before the next calls of a command (default: one) reach the store. Those calls fail if it
 * fails.
 */
export function before(
  { store: { client } }: { readonly store: AccountStore },
  commandName: string,
  meanwhile: () => Promise<unknown>,
  times = 1,
): void {
  let left = times;
  insert(client, `before${commandName}`, (name) => name === commandName && left-- > 0, meanwhile);
}

/** The error of a transaction that was cancelled, with the reason for each of its items. */
export const cancelled = (...codes: readonly string[]): TransactionCanceledException =>
  new TransactionCanceledException({
    message: 'cancelled',
    $metadata: {},
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

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
  const isIt = (name: string): boolean => !meanwhile && (++calls === nth || name === `${nth}Command`);
  insert(client, 'interleaved', isIt, () => (meanwhile = other()));
  try {
    const answer = await one();
    return [answer, await meanwhile];
  } finally {
    client.middlewareStack.remove('interleaved');
  }
}
