import { LOCAL_TABLES, localAddress } from '../../../local/settings.ts';
import type { Entry } from './journal.ts';

/** An item in DynamoDB's format: each attribute under the name of its type. */
export type SentItem = Readonly<Record<string, { readonly S?: string }>>;

const SEGMENTS = [0, 1, 2, 3];
/** The engines and the IAM proxy (test/support/iam-proxy) check who signed a call, and not the digest. */
const AUTHORIZATION = [
  `AWS4-HMAC-SHA256 Credential=test/20260101/${localAddress(0).region}/dynamodb/aws4_request`,
  'SignedHeaders=content-type;host;x-amz-date;x-amz-target',
  'Signature=0',
].join(', ');

/**
 * The items of both tables as texts to search, without the values that belong there
 * (docs/architecture.md, "Data model"). The SDK is not used: it takes two thirds of the time for all items of a run.
 */
export async function itemsOf(endpoint: string): Promise<Entry[]> {
  const tables = [LOCAL_TABLES.gateway, LOCAL_TABLES.usage];
  const parts = tables.flatMap((table) => SEGMENTS.map((segment) => scan(endpoint, table, segment)));
  return (await Promise.all(parts)).flat();
}

async function scan(endpoint: string, TableName: string, Segment: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  let ExclusiveStartKey: SentItem | undefined;
  do {
    const body = JSON.stringify({
      TableName,
      Segment,
      TotalSegments: SEGMENTS.length,
      ConsistentRead: true,
      ...(ExclusiveStartKey && { ExclusiveStartKey }),
    });
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.Scan',
      'x-amz-date': '20260101T000000Z',
      authorization: AUTHORIZATION,
    };
    const response = await fetch(endpoint, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(await response.text());
    const page = (await response.json()) as { Items: SentItem[]; LastEvaluatedKey?: SentItem };
    for (const item of page.Items) entries.push(entryOf(TableName, item));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return entries;
}

/** The entry of one item. */
export function entryOf(table: string, item: SentItem): Entry {
  const output = `an item of ${table} with ${Object.keys(item).sort().join(', ')}`;
  const shown = table === LOCAL_TABLES.usage ? without(item, 'clientRequestId') : withoutPeople(item);
  return { output, text: JSON.stringify(shown), mayShow: [] };
}

const without = (item: SentItem, ...names: readonly string[]): object =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));

/** Sort keys of the items that name people, with the attributes that do. */
const NAMING: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(USER|ACCOUNT|MEMBER#.*)$/, ['email', 'name']],
  [/^(ACCOUNT|UNTIL)#/, ['invitedBy']],
];

function withoutPeople(item: SentItem): object {
  const sk = item.sk?.S ?? '';
  return without(item, ...(NAMING.find(([pattern]) => pattern.test(sk))?.[1] ?? []));
}
