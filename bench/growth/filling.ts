import { randomBytes, randomUUID } from 'node:crypto';
import { DescribeTableCommand, paginateScan, type AttributeValue, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { isoTime } from '../../functions/core/clock.ts';
import { LOCAL_TABLES } from '../../local/settings.ts';
import { PATHS, serveOn } from '../paths.ts';
import { AMPLE, withSubjects } from '../subject.ts';

/** How much is in the tables. */
export interface Filling {
  /** Items in both tables together, at least a dozen for each project. */
  readonly items: number;
  readonly projects: number;
}

type Item = Readonly<Record<string, AttributeValue>>;

/** A full table: its definition as DynamoDB tells it, and its items as lines of an export in DynamoDB's own format. */
interface FilledTable {
  readonly definition: object;
  readonly lines: Iterable<string>;
}

/**
 * What the gateway itself wrote for a ping of each project; and as many copies of the replay records, and of the usage
 * events, as there are items to be. With a key of each project, and the tables by their names.
 */
export const fill = ({ items, projects }: Filling) =>
  withSubjects(async ({ client, gateway }) => {
    const keys: string[] = [];
    while (keys.length < projects) {
      const key = await gateway.createTenant(AMPLE);
      await serveOn(PATHS.firstWithKey, gateway, { key, idempotencyKey: 'order-7' });
      keys.push(key);
    }
    const state = await readTable(client, LOCAL_TABLES.gateway);
    const usage = await readTable(client, LOCAL_TABLES.usage);
    const replays = state.items.filter(({ sk }) => sk?.S?.startsWith('REPLAY#'));
    const copies = Math.max(0, items - state.items.length - usage.items.length) / 2;
    const tables: Record<string, FilledTable> = {
      [LOCAL_TABLES.gateway]: { ...state, lines: linesOf(state.items, replays, Math.ceil(copies), replayCopy) },
      [LOCAL_TABLES.usage]: { ...usage, lines: linesOf(usage.items, usage.items, Math.floor(copies), eventCopy) },
    };
    return { keys, tables };
  });

async function readTable(client: DynamoDBClient, TableName: string): Promise<{ definition: object; items: Item[] }> {
  const items: Item[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName })) items.push(...Items);
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  const { KeySchema, AttributeDefinitions } = Table ?? {};
  return { definition: { TableName, KeySchema, AttributeDefinitions }, items };
}

type Copy = (item: Item, i: number) => Item;

function* linesOf(items: readonly Item[], of: readonly Item[], copies: number, copyOf: Copy): Generator<string> {
  const line = (Item: Item): string => `${JSON.stringify({ Item })}\n`;
  for (const item of items) yield line(item);
  for (let i = 0; i < copies; i++) yield line(copyOf(of[i % of.length] ?? {}, i));
}

const replayCopy = (item: Item): Item => ({ ...item, sk: { S: `REPLAY#${randomBytes(32).toString('hex')}` } });

/** Each a millisecond before the last. */
function eventCopy(item: Item, i: number): Item {
  const [requestId, occurredAt] = [randomUUID(), isoTime(Date.parse(item.occurredAt?.S ?? '') - i)];
  return {
    ...item,
    sk: { S: `${occurredAt}#${requestId}` },
    requestId: { S: requestId },
    occurredAt: { S: occurredAt },
  };
}
