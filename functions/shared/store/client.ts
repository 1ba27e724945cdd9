import {
  DynamoDBClient,
  DynamoDBServiceException,
  TransactionCanceledException,
  TransactionConflictException,
  type DynamoDBClientConfig,
} from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DynamoDBDocumentClient, paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { StoreUnavailableError, StoreBusyError, type Contention } from '../http/errors.ts';
import type { Deadline } from '../deadline.ts';
import { itemKey } from './items.ts';

/** The longest time to open a connection, and for one attempt. DynamoDB in the same region takes a few milliseconds. */
const CONNECTION_TIMEOUT_MS = 1_000;
export const REQUEST_TIMEOUT_MS = 1_000;
/** With less time left than this, no further reads begin: two in a row could take all of it. */
export const LEAST_LEFT_MS = 2 * REQUEST_TIMEOUT_MS;
/** Attempts of one request: the first and two retries, all within the request's deadline. */
const SDK_ATTEMPTS = 3;

/**
 * Plugins of the SDK for each client that is made later. None in AWS: the development server learns what is written.
 */
export const clientPlugins: Parameters<DynamoDBClient['middlewareStack']['use']>[0][] = [];

/** A client with short timeouts, for the environment's region, credentials and endpoint, or for the given ones. */
export function createClient(overrides: DynamoDBClientConfig = {}): DynamoDBClient {
  const client = new DynamoDBClient({
    maxAttempts: SDK_ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      // Without it the timeout only logs a warning.
      throwOnRequestTimeout: true,
    },
    ...overrides,
  });
  for (const plugin of clientPlugins) client.middlewareStack.use(plugin);
  return client;
}

/** The same client with plain JavaScript values for items. */
export const documentClient = (client: DynamoDBClient): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });

/** How long a start may wait for the store. A function must also start when the store is unavailable. */
const WARM_UP_TIMEOUT_MS = 500;

/**
 * Opens the connection and loads the code of a call during initialisation, so that the first request is faster. Reads
 * one item that does not exist.
 */
export async function warmUp(client: DynamoDBDocumentClient, table: string): Promise<void> {
  const command = new BatchGetCommand({ RequestItems: { [table]: { Keys: [itemKey.project('-')] } } });
  try {
    await client.send(command, { abortSignal: AbortSignal.timeout(WARM_UP_TIMEOUT_MS) });
  } catch {
    // The first request will have the same failure, and answers it.
  }
}

/** Errors of DynamoDB after which a later attempt may succeed. The SDK has already made its own retries. */
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

/** Errors of the SDK that mean that there was no answer. */
const UNANSWERED_ERRORS: ReadonlySet<string> = new Set(['AbortError', 'CredentialsProviderError', 'TimeoutError']);

/** Awaits a database call. Throws {@link storeError} of its failure. */
export async function available<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw storeError(error);
  }
}

/**
 * The meaning of a failed call. A temporary failure (no answer, an unreadable answer, a timeout, a throttle, the
 * deadline) is a {@link StoreUnavailableError}. An error of our own request, a failed condition and a defect in our
 * code stay unchanged.
 */
export const storeError = (error: unknown): unknown =>
  isTransient(error) ? new StoreUnavailableError('the store did not answer', error) : error;

function isTransient(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if (error instanceof DynamoDBServiceException) {
    return TRANSIENT_ERRORS.has(error.name) || (error.$metadata.httpStatusCode ?? 400) >= 500;
  }
  // The SDK adds `$metadata` to failures after the call was sent, such as a broken connection or an unreadable answer.
  return UNANSWERED_ERRORS.has((error as Error).name) || '$metadata' in error;
}

/** The items of a query. The next page is read when the iteration needs it. */
export async function* queryItems<T = Record<string, unknown>>(
  client: DynamoDBDocumentClient,
  query: QueryCommandInput,
  deadline?: AbortSignal,
): AsyncGenerator<T> {
  const pages = paginateQuery({ client }, query, ...(deadline ? [{ abortSignal: deadline }] : []));
  for await (const items of availablePages<T>(pages)) yield* items;
}

/** The items of each page of a query or scan; a failure of a page is a {@link storeError}. */
export async function* availablePages<T>(
  pages: AsyncGenerator<{ readonly Items?: Record<string, unknown>[] | undefined }>,
): AsyncGenerator<T[]> {
  for (;;) {
    const page = await available(pages.next());
    if (page.done === true) return;
    yield listed(page.value) as T[];
  }
}

/**
 * The items of an answer to a query or scan. Without matches it is an empty list; without a list the answer is invalid.
 */
export function listed<T>({ Items }: { readonly Items?: T[] | undefined }): T[] {
  if (!Array.isArray(Items)) throw new StoreUnavailableError('a query came back without its items');
  return Items;
}

/** Attempts without a deadline. */
export const MAX_ATTEMPTS = 6;
const BASE_DELAY_MS = 10;
const MAX_DELAY_MS = 200;

export interface ConflictRetry {
  readonly deadline: Deadline;
  /** Resolves after a time, or rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** No deadline, for the platform team: {@link MAX_ATTEMPTS} are made, however long they take. */
export const NO_DEADLINE: Deadline = Object.assign(new AbortController().signal, { leftMs: () => Infinity });

/** The reasons of a cancelled transaction, one for each item. */
export type CancellationReasons = NonNullable<TransactionCanceledException['CancellationReasons']>;
export type CancellationReason = CancellationReasons[number];

/** Whether the condition of this write failed. */
export const hasFailed = ({ Code }: CancellationReason): boolean => Code === 'ConditionalCheckFailed';

/** A decision: try again without a pause, with another write that need not have the same conflict. */
export const AT_ONCE = Symbol('at once');

/** Reasons that are temporary. */
export const CONFLICT = 'TransactionConflict';
const THROTTLES: ReadonlySet<string | undefined> = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded']);

/**
 * Runs a transaction, or a single write that can conflict with one, until it is committed or refused, or there is no
 * time for another attempt. Delays have full jitter, so that requests with a conflict do not return together.
 *
 * An attempt begins only if its own timeout is before the deadline. Otherwise the deadline could abort it, and nobody
 * would know whether it was committed.
 *
 * @param attempt sends it once; the SDK repeats an ambiguous failure, under the same token
 * @param decide  turns the reasons of a definite cancellation into a result; undefined when they decide nothing, {@link
 * AT_ONCE} when the next attempt differs
 */
export async function retryConflicts<T>(
  attempt: () => Promise<T>,
  { deadline, sleep, random }: ConflictRetry,
  decide: (reasons: CancellationReasons) => T | typeof AT_ONCE | undefined = () => undefined,
): Promise<T> {
  for (let made = 1, pauses = 0, inARow = 0; ; made++) {
    try {
      return await attempt();
    } catch (error) {
      let met: Contention | undefined = 'conflict';
      let isAtOnce = false;
      if (error instanceof TransactionCanceledException) {
        const reasons = error.CancellationReasons ?? [];
        const decision = decide(reasons);
        if (decision !== undefined && decision !== AT_ONCE) return decision;
        isAtOnce = decision === AT_ONCE && ++inARow <= MAX_AT_ONCE;
        // A stale attempt also had a conflict with others.
        met = busyOf(reasons) ?? (isAtOnce ? 'conflict' : undefined);
        if (met === undefined) throw error;
      } else if (!(error instanceof TransactionConflictException)) {
        throw storeError(error);
      }
      const delayMs = isAtOnce ? 0 : jitteredDelayMs(++pauses, random);
      if (isLastAttempt(made, delayMs, deadline)) throw new StoreBusyError(met, error);
      if (isAtOnce) continue;
      inARow = 0;
      await available(sleep(delayMs, deadline));
    }
  }
}

/** The temporary reason of a failure; undefined: a retry would not help. It is a throttle only without any conflict. */
function busyOf(reasons: CancellationReasons): Contention | undefined {
  if (reasons.some(({ Code }) => Code === CONFLICT)) return 'conflict';
  return reasons.some(({ Code }) => THROTTLES.has(Code)) ? 'throttle' : undefined;
}

/** Attempts in a row without a pause: one for each shard of a project. More of them would only load the database. */
const MAX_AT_ONCE = 32;

const isLastAttempt = (made: number, delayMs: number, deadline: Deadline): boolean =>
  deadline === NO_DEADLINE ? made === MAX_ATTEMPTS : deadline.leftMs() < delayMs + REQUEST_TIMEOUT_MS;

/** How long to wait after an attempt (the first is 1): a random time up to a bound that doubles each time. */
export const jitteredDelayMs = (made: number, random: () => number): number =>
  random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (made - 1));
