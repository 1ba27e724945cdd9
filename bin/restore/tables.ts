import {
  ContinuousBackupsUnavailableException,
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
import { TABLE_ATTRIBUTES } from '../../functions/shared/names.ts';

/** A table to restore from another one at a moment. */
export interface RestoredTable {
  readonly from: string;
  readonly to: string;
  readonly moment: string;
  /** Notices come from its stream. */
  readonly hasStream: boolean;
}

/** The restored table as DynamoDB describes it; undefined: not begun. Throws if it is another table. */
export async function describe(
  client: DynamoDBClient,
  { from, to, moment }: RestoredTable,
): Promise<TableDescription | undefined> {
  const answer = await client.send(new DescribeTableCommand({ TableName: to })).catch((error: unknown) => {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  });
  if (!answer?.Table) return undefined;
  const { SourceTableArn, RestoreDateTime } = answer.Table.RestoreSummary ?? {};
  if (SourceTableArn?.endsWith(`:table/${from}`) && RestoreDateTime?.getTime() === Date.parse(moment)) {
    return answer.Table;
  }
  throw new Error(`There is a table ${to} already, which is not ${from} as of ${moment}: give another --to.`);
}

/** Begins a restore. One that another run began continues. DynamoDB refuses a moment that it cannot restore. */
export async function begin(client: DynamoDBClient, { from, to, moment }: RestoredTable): Promise<void> {
  const names = { SourceTableName: from, TargetTableName: to, RestoreDateTime: new Date(moment) };
  await client.send(new RestoreTableToPointInTimeCommand(names)).catch((error: unknown) => {
    if (!(error instanceof TableAlreadyExistsException)) throw error;
  });
}

/** Sets what a restore omits; present settings stay. False: the table does not take it yet. */
export async function complete(client: DynamoDBClient, table: RestoredTable): Promise<boolean> {
  const TableName = table.to;
  try {
    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
    if (!TimeToLiveDescription?.TimeToLiveStatus?.startsWith('ENABL')) {
      const TimeToLiveSpecification = { Enabled: true, AttributeName: TABLE_ATTRIBUTES.timeToLive };
      await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
    }
    const present = await describe(client, table);
    const lacksStream = table.hasStream && !present?.StreamSpecification?.StreamEnabled;
    if (!present?.DeletionProtectionEnabled || lacksStream) {
      // As the stack's own table has it (lib/tables.ts).
      const stream = { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } } as const;
      const update = { TableName, DeletionProtectionEnabled: true, ...(lacksStream && stream) };
      await client.send(new UpdateTableCommand(update));
    }
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
    await client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
    // A stream has its name only some time after it was asked for.
    return !table.hasStream || present?.LatestStreamArn !== undefined;
  } catch (error) {
    if (error instanceof ContinuousBackupsUnavailableException || error instanceof ResourceInUseException) return false;
    throw error;
  }
}
