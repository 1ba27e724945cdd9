import {
  ContinuousBackupsUnavailableException,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ResourceInUseException,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  TableAlreadyExistsException,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  type DynamoDBClient,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { isoTime } from '../../functions/core/clock.ts';
import { TABLE_ATTRIBUTES } from '../../functions/wiring.ts';
import { momentOf } from './plan.ts';

/** As the stack's own table has it (lib/tables.ts). */
const STREAM = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } as const;

/** A table to restore from another one at a moment. */
export interface RestoredTable {
  readonly from: string;
  readonly to: string;
  readonly atMs: number;
  /** Notices come from its stream. */
  readonly hasStream: boolean;
}

/** The table as DynamoDB describes it; undefined: there is none. */
async function describe(client: DynamoDBClient, TableName: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/**
 * The progress of a table: its status, `ACTIVE` when it is complete; undefined: not begun. Throws if it is another
 * table.
 */
export async function statusOf(client: DynamoDBClient, { from, to, atMs }: RestoredTable): Promise<string | undefined> {
  const table = await describe(client, to);
  if (!table) return undefined;
  const { SourceTableArn, RestoreDateTime } = table.RestoreSummary ?? {};
  if (!SourceTableArn?.endsWith(`:table/${from}`) || RestoreDateTime?.getTime() !== atMs) {
    throw new Error(`There is a table ${to} already, which is not ${from} as of ${momentOf(atMs)}: give another --to.`);
  }
  return table.TableStatus;
}

/** Throws an error of one line when a table cannot be restored to the moment. */
export async function requireRestorable(client: DynamoDBClient, { from, atMs }: RestoredTable): Promise<void> {
  const { ContinuousBackupsDescription } = await client.send(new DescribeContinuousBackupsCommand({ TableName: from }));
  const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } =
    ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {};
  if (!earliest || !latest) throw new Error(`The table ${from} has no point-in-time recovery.`);
  if (atMs < earliest.getTime() || atMs > latest.getTime()) {
    const span = `${isoTime(earliest.getTime())} to ${isoTime(latest.getTime())}`;
    throw new Error(
      `The table ${from} can be restored to a time from ${span}; the end follows the clock by some minutes.`,
    );
  }
}

/** Begins a restore. A restore that another run began continues. */
export async function begin(client: DynamoDBClient, { from, to, atMs }: RestoredTable): Promise<void> {
  const names = { SourceTableName: from, TargetTableName: to };
  try {
    await client.send(new RestoreTableToPointInTimeCommand({ ...names, RestoreDateTime: new Date(atMs) }));
  } catch (error) {
    if (!(error instanceof TableAlreadyExistsException)) throw error;
  }
}

/** The stream of a table that is complete; undefined: it has none. */
export const streamOf = async (client: DynamoDBClient, tableName: string): Promise<string | undefined> =>
  (await describe(client, tableName))?.LatestStreamArn;

/**
 * Sets what a restore omits: expiry of items, point-in-time recovery, deletion protection, and the stream. Present
 * settings stay.
 */
export async function complete(client: DynamoDBClient, { to, hasStream }: RestoredTable): Promise<boolean> {
  try {
    await giveRest(client, to, hasStream);
    return true;
  } catch (error) {
    if (error instanceof ContinuousBackupsUnavailableException || error instanceof ResourceInUseException) return false;
    throw error;
  }
}

async function giveRest(client: DynamoDBClient, TableName: string, hasStream: boolean): Promise<void> {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  if (!TimeToLiveDescription?.TimeToLiveStatus?.startsWith('ENABL')) {
    const TimeToLiveSpecification = { Enabled: true, AttributeName: TABLE_ATTRIBUTES.timeToLive };
    await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  }
  const { DeletionProtectionEnabled, StreamSpecification } = (await describe(client, TableName)) ?? {};
  const update = {
    ...(!DeletionProtectionEnabled && { DeletionProtectionEnabled: true }),
    ...(hasStream && !StreamSpecification?.StreamEnabled && { StreamSpecification: STREAM }),
  };
  if (Object.keys(update).length > 0) await client.send(new UpdateTableCommand({ TableName, ...update }));
  const { ContinuousBackupsDescription } = await client.send(new DescribeContinuousBackupsCommand({ TableName }));
  if (ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus !== 'ENABLED') {
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
    await client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
  }
}
