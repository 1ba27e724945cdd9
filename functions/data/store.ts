import { DynamoDBClient, DynamoDBServiceException, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DynamoDBDocumentClient, paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { StoreUnavailableError } from '../core/errors.ts';
import { itemKey } from './table-items.ts';

/** Longest time to open a connection, and for one attempt. DynamoDB in the same region takes single milliseconds. */
const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 1_000;
/** Attempts of one request: the first and two repeats, all within the request's deadline. */
const MAX_ATTEMPTS = 3;

/** A client for the environment's region, credentials and endpoint, or for those given, that never waits long. */
export const createClient = (overrides: DynamoDBClientConfig = {}): DynamoDBClient =>
  new DynamoDBClient({
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      // Without it the timeout only logs a warning.
      throwOnRequestTimeout: true,
    },
    ...overrides,
  });

/** The same with plain JavaScript values for items. */
export const documentClient = (client: DynamoDBClient): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });

/** What DynamoDB answers when a later attempt may succeed; the SDK has made its own repeats by then. */
const TRANSIENT_ERRORS: ReadonlySet<string> = new Set([
  'InternalServerError',
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  // The table is being created or restored under its name.
  'ResourceNotFoundException',
  'ServiceUnavailable',
  'ThrottlingException',
  'TransactionConflictException',
  'TransactionInProgressException',
]);

/**
 * Awaits a database call. "Not now" (no answer, a timeout, a throttle, the deadline) becomes
 * {@link StoreUnavailableError}; an answer that names a mistake of ours, and a failed condition, rise as they are.
 */
export async function available<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (isDefinite(error)) throw error;
    throw new StoreUnavailableError('the store did not answer', error);
  }
}

/** Whether DynamoDB itself answered, with something that repeating will not change. */
const isDefinite = (error: unknown): boolean =>
  error instanceof DynamoDBServiceException &&
  !TRANSIENT_ERRORS.has(error.name) &&
  (error.$metadata.httpStatusCode ?? 400) < 500;

/** How long a start may wait for the store; a function must also start when the store is away. */
const WARM_UP_TIMEOUT_MS = 500;

/**
 * Opens the connection and loads the code of a call, during initialisation, so that the first request does not pay for
 * it. Reads one item that is not there. A failure is no failure: the first request will meet it and say so.
 */
export async function warmUp(client: DynamoDBDocumentClient, table: string): Promise<void> {
  const command = new BatchGetCommand({ RequestItems: { [table]: { Keys: [itemKey.project('-')] } } });
  await client.send(command, { abortSignal: AbortSignal.timeout(WARM_UP_TIMEOUT_MS) }).catch(() => undefined);
}

/** The items of a query, read page by page as they are taken. */
export async function* queryItems(
  client: DynamoDBDocumentClient,
  query: QueryCommandInput,
): AsyncGenerator<Record<string, unknown>> {
  const pages = paginateQuery({ client }, query);
  for (;;) {
    const page = await available(pages.next());
    if (page.done === true) return;
    yield* page.value.Items ?? [];
  }
}
