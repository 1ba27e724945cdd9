import { Readable } from 'node:stream';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { intercept } from './faults.ts';
import { tenant, type TenantOptions, type TestGateway } from './gateway.ts';
import type { TestRequest, TestResponse } from './http.ts';

/** One prepared request that takes a path. */
export interface Visit {
  readonly projectId: string;
  readonly keyId: string;
  readonly key: string;
  readonly request: Partial<TestRequest>;
  /** Responses to the requests before it and during it. */
  readonly others: TestResponse[];
  /** Applies the path's condition to the calls of a client. */
  readonly arrange?: (client: DynamoDBClient) => void;
  /** Does what should have happened during the request, in case the request ended before. */
  readonly catchUp?: () => Promise<void>;
}

/** Prepares requests with different ids; what they share is created once. */
export type Prepare = (gateway: TestGateway) => Promise<(id: string) => Promise<Visit>>;

/** A rate limit that no test reaches. */
export const SPACIOUS = { rpm: 10_000 };

/** A request under its own Idempotency-Key, with a body of its own. */
export const under = (id: string) => ({
  headers: { 'idempotency-key': id.replaceAll(' ', '-') },
  body: { clientRequestId: id },
});
/** A request without an Idempotency-Key. */
export const plain = { body: {} };

/** What the requests of a path share. */
export type Shared = TestGateway & Awaited<ReturnType<typeof tenant>>;
/** Happens once, before all requests. */
export type First = (shared: Shared) => Promise<TestResponse[]>;
type Made = Partial<Visit> & Pick<Visit, 'request'>;
/** Makes one request. */
export type Make = (shared: Shared, id: string) => Made | Promise<Made>;

/** A path whose requests share a project and, unless they have their own, a key. */
export const shared =
  (options: TenantOptions, make: Make, first: First = () => Promise.resolve([])): Prepare =>
  async (gateway) => {
    const all = { ...gateway, ...(await tenant(gateway, { ...SPACIOUS, ...options })) };
    const { projectId, keyId, key } = all;
    const others = await first(all);
    return async (id) => ({ projectId, keyId, key, others: [...others], ...(await make(all, id)) });
  };

/** A path where each request has its own project. */
export const alone =
  (options: TenantOptions, make: Make): Prepare =>
  (gateway) =>
    Promise.resolve(async (id) => (await shared(options, make)(gateway))(id));

/** Runs another action once, right before the first attempt of an operation. */
export function meanwhile(operation: string, request: Visit['request'], happen: () => Promise<TestResponse[]>) {
  const others: TestResponse[] = [];
  let happened: Promise<void> | undefined;
  const catchUp = () => (happened ??= happen().then((responses) => void others.push(...responses)));
  const arrange = (client: DynamoDBClient) => {
    intercept(client, async (attempt) => {
      if (attempt.operation === operation) await catchUp();
      return attempt.send();
    });
  };
  return { request, others, arrange, catchUp };
}

/** Removes the project from the first answer to a batch, like DynamoDB when a batch is too large. */
export function leaveProjectUnprocessed(client: DynamoDBClient): void {
  let left = false;
  intercept(client, async (attempt) => {
    const answer = await attempt.send();
    if (left || attempt.operation !== 'BatchGetItem') return answer;
    left = true;
    const chunks = (await Array.fromAsync(answer.response.body)) as Buffer[];
    const batch = JSON.parse(Buffer.concat(chunks).toString()) as Batch;
    const [[table, items] = ['', []]] = Object.entries(batch.Responses);
    const isProject = ({ sk }: Item) => sk.S === 'PROJECT';
    const Keys = items.filter(isProject).map(({ pk, sk }) => ({ pk, sk }));
    const partial: Batch = {
      Responses: { [table]: items.filter((item) => !isProject(item)) },
      UnprocessedKeys: { [table]: { Keys } },
    };
    answer.response.body = Readable.from([Buffer.from(JSON.stringify(partial))]);
    return answer;
  });
}

type Item = Readonly<Record<'pk' | 'sk', { readonly S: string }>>;
interface Batch {
  readonly Responses: Readonly<Record<string, readonly Item[]>>;
  readonly UnprocessedKeys?: Readonly<Record<string, { readonly Keys: readonly Item[] }>>;
}
