import type { DynamoDBRecord } from 'aws-lambda';
import type { StreamFilter } from '../functions/notices/names.ts';

/** The records that an event source mapping with these filters gives to its function. */
export const letThrough = (records: readonly DynamoDBRecord[], filters: readonly StreamFilter[]): DynamoDBRecord[] =>
  records.filter((record) => filters.some((filter) => matches(record, filter)));

const matches = ({ eventName, dynamodb }: DynamoDBRecord, { events, pk, sk, isTrue }: StreamFilter): boolean =>
  events.some((name) => name === eventName) &&
  (dynamodb?.Keys?.pk?.S?.startsWith(pk) ?? false) &&
  sk.some((prefix) => dynamodb?.Keys?.sk?.S?.startsWith(prefix)) &&
  (isTrue === undefined || dynamodb?.NewImage?.[isTrue]?.BOOL === true);
