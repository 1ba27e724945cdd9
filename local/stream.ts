import { DescribeTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type _Record as StreamRecord,
  type ShardIteratorType,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { createClient } from '../functions/store/client.ts';
import type { DatabaseAddress } from './settings.ts';

const MS_PER_SECOND = 1_000;

/** The changes of a table from the moment on at which the stream was opened. */
export interface TableStream {
  /** The changes since the last call, in their order. Rejects when the database does not answer: call it again. */
  read(): Promise<DynamoDBRecord[]>;
  close(): void;
}

/** Opens the stream of a table at its end. Turns it on if the table has none, as tables of older versions. */
export async function openStream(address: DatabaseAddress, tableName: string): Promise<TableStream> {
  const database = createClient(address);
  const { credentials } = database.config;
  const StreamArn = await streamOf(database, tableName).finally(() => database.destroy());
  const client = new DynamoDBStreamsClient({ ...address, credentials });
  /** The position to continue from, by shard. */
  const positions = new Map<string, string | undefined>();

  const iteratorAt = async (ShardId: string, ShardIteratorType: ShardIteratorType): Promise<string | undefined> => {
    const command = new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType });
    return (await client.send(command)).ShardIterator;
  };

  /** Finds shards that are not known yet: at the end of those that are there first, at the beginning of later ones. */
  const findShards = async (type: ShardIteratorType): Promise<void> => {
    const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn }));
    for (const { ShardId } of StreamDescription?.Shards ?? []) {
      if (ShardId !== undefined && !positions.has(ShardId)) positions.set(ShardId, await iteratorAt(ShardId, type));
    }
  };

  const readShard = async (shardId: string, ShardIterator: string): Promise<StreamRecord[]> => {
    const { Records = [], NextShardIterator } = await client.send(new GetRecordsCommand({ ShardIterator }));
    positions.set(shardId, NextShardIterator);
    // A shard ends after some hours; another one follows.
    if (NextShardIterator === undefined) await findShards('TRIM_HORIZON');
    return Records;
  };

  await findShards('LATEST');
  return {
    read: async () => {
      const records: StreamRecord[] = [];
      for (const [shardId, iterator] of [...positions]) {
        try {
          if (iterator !== undefined) records.push(...(await readShard(shardId, iterator)));
        } catch (error) {
          // The machine slept for longer than an iterator lives. The daily run checks the changes of that time.
          if ((error as Error).name !== 'ExpiredIteratorException') throw error;
          positions.set(shardId, await iteratorAt(shardId, 'LATEST'));
        }
      }
      return records.map((record) => toEventRecord(record, StreamArn));
    },
    close: () => client.destroy(),
  };
}

async function streamOf(database: DynamoDBClient, TableName: string): Promise<string> {
  const { Table } = await database.send(new DescribeTableCommand({ TableName }));
  if (Table?.StreamSpecification?.StreamEnabled && Table.LatestStreamArn) return Table.LatestStreamArn;
  const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } as const;
  const { TableDescription } = await database.send(new UpdateTableCommand({ TableName, StreamSpecification }));
  if (TableDescription?.LatestStreamArn) return TableDescription.LatestStreamArn;
  throw new Error('the database has no streams');
}

/** The record as an event source mapping gives it to a function, where a time is a number. */
function toEventRecord({ dynamodb, ...record }: StreamRecord, eventSourceARN: string): DynamoDBRecord {
  const { ApproximateCreationDateTime: at, ...change } = dynamodb ?? {};
  return {
    ...record,
    eventSourceARN,
    dynamodb: { ...change, ...(at && { ApproximateCreationDateTime: at.getTime() / MS_PER_SECOND }) },
  } as DynamoDBRecord;
}
