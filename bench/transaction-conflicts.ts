import { setTimeout as sleep } from 'node:timers/promises';
import {
  TransactionCanceledException,
  type DynamoDBClient,
  type TransactWriteItem,
  type TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb';

/** What transactions met since the start. */
export interface TransactionRecord {
  attempts: number;
  conflicts: number;
}

/** How long things take on this client, in milliseconds. */
export interface Durations {
  /** A transaction, from its first phase to its last; it holds its items for so long. */
  readonly transactionMs: number;
  /** The refusal of a transaction, which comes of its first phase. */
  readonly conflictMs: number;
  /** Any other call. */
  readonly callMs: number;
}

/**
 * Lets the transactions of a client conflict as DynamoDB's do, which no local engine plays: while a transaction is in
 * progress, another one with an item of it is cancelled, with the reason `TransactionConflict` for that item (DynamoDB
 * Developer Guide, "Transaction conflict handling"). Reads that are no transactions are not refused, and no plain write
 * here meets an item of a transaction.
 */
export function injectConflicts(client: DynamoDBClient, durations: Durations): TransactionRecord {
  const record: TransactionRecord = { attempts: 0, conflicts: 0 };
  const held = new Set<string>();
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName !== 'TransactWriteItemsCommand') {
        const [result] = await Promise.all([next(args), sleep(durations.callMs)]);
        return result;
      }
      const items = ((args.input as TransactWriteItemsCommandInput).TransactItems ?? []).map(nameOf);
      record.attempts++;
      const codes = items.map((item) => (held.has(item) ? 'TransactionConflict' : 'None'));
      if (codes.includes('TransactionConflict')) {
        record.conflicts++;
        await sleep(durations.conflictMs);
        throw cancelled(codes);
      }
      for (const item of items) held.add(item);
      try {
        const [result] = await Promise.all([next(args), sleep(durations.transactionMs)]);
        return result;
      } finally {
        for (const item of items) held.delete(item);
      }
    },
    // Below the document client, above serialisation: items have their stored form.
    { step: 'serialize', priority: 'high', name: 'injectConflicts' },
  );
  return record;
}

/** Table and primary key of what a part of a transaction writes, as text. */
function nameOf({ Put, Update, Delete, ConditionCheck }: TransactWriteItem): string {
  const write = Put ?? Update ?? Delete ?? ConditionCheck;
  const { pk, sk } = Put?.Item ?? (Update ?? Delete ?? ConditionCheck)?.Key ?? {};
  return JSON.stringify([write?.TableName, pk?.S, sk?.S]);
}

const cancelled = (codes: readonly string[]): TransactionCanceledException =>
  new TransactionCanceledException({
    message: 'Transaction cancelled, please refer cancellation reasons for specific reasons',
    $metadata: { httpStatusCode: 400 },
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
