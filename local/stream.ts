import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { STREAM_FILTERS, type StreamFilter } from '../functions/notices/names.ts';

/** An item that was probably written, by its key. */
export interface Written {
  readonly event: 'INSERT' | 'MODIFY';
  readonly pk: string;
  readonly sk: string;
}

/** A write of DynamoDB's API: the header that names the operation, and the body in JSON. */
export interface Call {
  readonly target: string | undefined;
  readonly body: string;
}

/** Items as DynamoDB's JSON has them. */
type Key = Readonly<Record<string, { readonly S?: string } | undefined>>;
interface Write {
  readonly TableName?: string;
  readonly Item?: Key;
  readonly Key?: Key;
}
interface Transaction {
  readonly TransactItems?: readonly { readonly Put?: Write; readonly Update?: Write }[];
}
interface Batch {
  readonly RequestItems?: Readonly<Record<string, readonly { readonly PutRequest?: Write }[]>>;
}

const WRITES = /\.(PutItem|UpdateItem|TransactWriteItems|BatchWriteItem)$/;
const FILTERS = Object.values(STREAM_FILTERS).flat();

/** Whether a call may write items; deletions tell nobody anything. */
export const isWrite = (target: string | undefined): target is string => target !== undefined && WRITES.test(target);

/**
 * What a call writes to the Gateway table, of the kinds that the notices function is given. Whoever puts an item of
 * these kinds creates it; a change of one is an update.
 */
export function writtenBy({ target, body }: Call, gatewayTable: string): Written[] {
  const call = JSON.parse(body) as Write & Transaction & Batch;
  const puts = [
    ...(target?.endsWith('.PutItem') ? [call] : []),
    ...(call.TransactItems ?? []).map(({ Put }) => Put),
    ...Object.entries(call.RequestItems ?? {}).flatMap(([TableName, requests]) =>
      requests.map(({ PutRequest }) => PutRequest && { ...PutRequest, TableName }),
    ),
  ];
  const updates = [
    ...(target?.endsWith('.UpdateItem') ? [call] : []),
    ...(call.TransactItems ?? []).map(({ Update }) => Update),
  ];
  const of = (event: Written['event'], writes: readonly (Write | undefined)[]): Written[] =>
    writes.flatMap((write) => {
      if (write?.TableName !== gatewayTable) return [];
      const { pk, sk } = write.Item ?? write.Key ?? {};
      return isTold(event, pk?.S, sk?.S) ? [{ event, pk: pk?.S ?? '', sk: sk?.S ?? '' }] : [];
    });
  return [...of('INSERT', puts), ...of('MODIFY', updates)];
}

const isTold = (event: Written['event'], pk = '', sk = ''): boolean =>
  FILTERS.some((filter) => isOf(filter, event, pk, sk));

/** The records that an event source mapping with these filters gives to its function. */
export const letThrough = (records: readonly DynamoDBRecord[], filters: readonly StreamFilter[]): DynamoDBRecord[] =>
  records.filter(({ eventName, dynamodb }) =>
    filters.some(
      (filter) =>
        isOf(filter, eventName, dynamodb?.Keys?.pk?.S, dynamodb?.Keys?.sk?.S) &&
        (filter.isTrue === undefined || dynamodb?.NewImage?.[filter.isTrue]?.BOOL === true),
    ),
  );

const isOf = (filter: StreamFilter, event: string | undefined, pk = '', sk = ''): boolean =>
  filter.events.some((name) => name === event) &&
  pk.startsWith(filter.pk) &&
  filter.sk.some((prefix) => sk.startsWith(prefix));

type Plugin = Parameters<DynamoDBClient['middlewareStack']['use']>[0];

/**
 * A plugin of the SDK's client that tells of each write: of those that succeeded, and of those of which it is not
 * known. A refusal has written nothing.
 */
export const tellingOfWrites = (tell: (call: Call) => void): Plugin => ({
  applyToStack: (stack) => {
    stack.add(
      (next) => async (args) => {
        const { headers, body } = args.request as { headers: Record<string, string>; body: string | Uint8Array };
        const target = headers['x-amz-target'];
        if (!isWrite(target)) return next(args);
        const written = (): void =>
          tell({ target, body: typeof body === 'string' ? body : new TextDecoder().decode(body) });
        try {
          const result = await next(args);
          written();
          return result;
        } catch (error) {
          if ((error as { readonly $fault?: string }).$fault !== 'client') written();
          throw error;
        }
      },
      { step: 'build', name: 'tellOfWrites' },
    );
  },
});
