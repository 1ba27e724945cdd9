import type { DynamoDBRecord } from 'aws-lambda';
import type { NoticesDependencies } from './dependencies.ts';
import type { Failures } from './dispatch.ts';

/** Works on records of the Gateway table's stream. */
export const onRecords = (_dependencies: NoticesDependencies, _records: readonly DynamoDBRecord[]): Promise<Failures> =>
  Promise.resolve({ batchItemFailures: [] });
