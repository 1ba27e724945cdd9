import { DynamoDBClient, DynamoDBServiceException, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DynamoDBDocumentClient, paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { StoreUnavailableError } from '../core/errors.ts';
import { itemKey } from './table-items.ts';

/** Longest time to open a connection, and for one attempt. DynamoDB in the same region takes single milliseconds. */
const CONNECTION_TIMEOUT_MS = 1_000;
export const REQUEST_TIMEOUT_MS = 1_000;
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

/** Errors of the SDK that say that the call never came to an answer. */
const UNANSWERED_ERRORS: ReadonlySet<string> = new Set(['AbortError', 'CredentialsProviderError', 'TimeoutError']);

/** Awaits a database call and throws what {@link storeError} makes of its failure. */
export async function available<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw storeError(error);
  }
}

/**
 * What a failed call means. "Not now" (no answer, one that cannot be read, a timeout, a throttle, the deadline) is a
 * {@link StoreUnavailableError}. An answer that names a mistake of ours, a failed condition and a defect in our own code
 * stay what they are.
 */
export const storeError = (error: unknown): unknown =>
  isPassing(error) ? new StoreUnavailableError('the store did not answer', error) : error;

function isPassing(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if (error instanceof DynamoDBServiceException) {
    return TRANSIENT_ERRORS.has(error.name) || (error.$metadata.httpStatusCode ?? 400) >= 500;
  }
  // The SDK marks whatever failed once a call was on its way, a broken connection or an unreadable answer.
  return UNANSWERED_ERRORS.has((error as Error).name) || '$metadata' in error;
}

/** How long a start may wait for the store; a function must also start when the store is away. */
const WARM_UP_TIMEOUT_MS = 500;

/**
 * Opens the connection and loads the code of a call, during initialisation, so that the first request does not pay for
 * it. Reads one item that is not there.
 */
export async function warmUp(client: DynamoDBDocumentClient, table: string): Promise<void> {
  const command = new BatchGetCommand({ RequestItems: { [table]: { Keys: [itemKey.project('-')] } } });
  try {
    await client.send(command, { abortSignal: AbortSignal.timeout(WARM_UP_TIMEOUT_MS) });
  } catch {
    // The first request will meet it too, and answer for it.
  }
}

/** The items of a query, read page by page as they are taken. */
export async function* queryItems(
  client: DynamoDBDocumentClient,
  query: QueryCommandInput,
  deadline?: AbortSignal,
): AsyncGenerator<Record<string, unknown>> {
  const pages = paginateQuery({ client }, query, ...(deadline ? [{ abortSignal: deadline }] : []));
  for (;;) {
    const page = await available(pages.next());
    if (page.done === true) return;
    yield* listed(page.value);
  }
}

/** The items of an answer to a query or scan. Items that are not there are an empty list; no list is no answer. */
export function listed<T>({ Items }: { readonly Items?: T[] | undefined }): T[] {
  if (!Array.isArray(Items)) throw new StoreUnavailableError('a query came back without its items');
  return Items;
}
