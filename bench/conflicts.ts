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
 * How long things take, in milliseconds: a transaction, which holds its items from its first phase to its last; its
 * refusal, which comes of the first phase; any other call.
 */
export const DURATIONS = { transactionMs: 10, conflictMs: 5, callMs: 4 };

/**
 * Lets the transactions of a client conflict as DynamoDB's do, which no local engine plays: while a transaction is in
 * progress, another one with an item of it is cancelled, with the reason `TransactionConflict` for that item (DynamoDB
 * Developer Guide, "Transaction conflict handling"). Reads that are no transactions are not refused, and no plain write
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
    // Below the document client, above serialisation: items have their stored form.
    { step: 'serialize', priority: 'high', name: 'injectConflicts' },
  );
  return () => attempts;
}

/** Table and primary key of what a part of a transaction writes, as text. */
function nameOf(part: TransactWriteItem): string {
  const [{ TableName, Key = {}, Item = Key }] = Object.values(part) as [Partial<Put & Update>];
  return JSON.stringify([TableName, Item.pk, Item.sk]);
}
