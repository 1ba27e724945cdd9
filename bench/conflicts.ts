import { setTimeout as sleep } from 'node:timers/promises';
import {
  TransactionCanceledException,
  type DynamoDBClient,
  type Put,
  type TransactWriteItem,
  type TransactWriteItemsCommandInput,
  type Update,
} from '@aws-sdk/client-dynamodb';

/**
 * Durations in milliseconds: a transaction, which holds its items from its first phase to its last; a
 * refused transaction, which ends after its first phase; and any other call.
 */
export const DURATIONS = { transactionMs: 10, conflictMs: 5, callMs: 4 };

/**
 * Makes the transactions of a client conflict as in DynamoDB, which no local engine does. While a transaction is in
 * progress, another one with the same item is cancelled, with the reason `TransactionConflict` for it (DynamoDB
 * Developer Guide, "Transaction conflict handling"). Other reads are not refused, and no other write
 * here meets an item of a transaction. Returns a count of the attempts since then.
 */
export function injectConflicts(client: DynamoDBClient): () => number {
  let attempts = 0;
  const held = new Set<string>();
  const lasting = async <T>(ms: number, call: Promise<T>): Promise<T> => (await Promise.all([call, sleep(ms)]))[0];
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName !== 'TransactWriteItemsCommand') return lasting(DURATIONS.callMs, next(args));
        attempts++;
        const items = (args.input as TransactWriteItemsCommandInput).TransactItems?.map(nameOf) ?? [];
        const codes = items.map((item) => (held.has(item) ? 'TransactionConflict' : 'None'));
        if (codes.includes('TransactionConflict')) {
          await sleep(DURATIONS.conflictMs);
          const CancellationReasons = codes.map((Code) => ({ Code }));
          const message = 'Transaction cancelled, please refer cancellation reasons for specific reasons';
          throw new TransactionCanceledException({ message, $metadata: { httpStatusCode: 400 }, CancellationReasons });
        }
        for (const item of items) held.add(item);
        return lasting(DURATIONS.transactionMs, next(args)).finally(() => {
          for (const item of items) held.delete(item);
        });
      },
    // Between the document client and serialisation, items have their stored form.
    { step: 'serialize', priority: 'high', name: 'injectConflicts' },
  );
  return () => attempts;
}

/** The table and primary key that one write of a transaction names, as text. */
function nameOf(part: TransactWriteItem): string {
  const [{ TableName, Key = {}, Item = Key }] = Object.values(part) as [Partial<Put & Update>];
  return JSON.stringify([TableName, Item.pk, Item.sk]);
}
