import {
  DynamoDBClient,
  DynamoDBServiceException,
  TransactionCanceledException,
  TransactionConflictException,
  type DynamoDBClientConfig,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { StoreUnavailableError, StoreBusyError, type Busy } from '../core/errors.ts';
import type { Deadline } from '../core/deadline.ts';

/** Longest time to open a connection, and for one attempt. DynamoDB in the same region takes single milliseconds. */
const CONNECTION_TIMEOUT_MS = 1_000;
export const REQUEST_TIMEOUT_MS = 1_000;
/** Attempts of one request: the first and two repeats, all within the request's deadline. */
const SDK_ATTEMPTS = 3;

/** A client for the environment's region, credentials and endpoint, or for those given, that never waits long. */
export const createClient = (overrides: DynamoDBClientConfig = {}): DynamoDBClient =>
  new DynamoDBClient({
    maxAttempts: SDK_ATTEMPTS,
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

/** Attempts of those who have no deadline. */
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

/** For those who wait for as long as {@link MAX_ATTEMPTS} take: operators. */
export const NO_DEADLINE: Deadline = Object.assign(new AbortController().signal, { leftMs: () => Infinity });

/** What a cancelled transaction says of each of its items. */
export type CancellationReasons = NonNullable<TransactionCanceledException['CancellationReasons']>;

/** What is tried again without a pause: differently, so that it need not meet the same again. */
export const AT_ONCE = Symbol('at once');

/** Reasons that go away by themselves. */
const CONFLICT = 'TransactionConflict';
const THROTTLES: ReadonlySet<string | undefined> = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded']);

/**
 * Runs a transaction, or a single write that can meet one, until it is committed, refused, or there is no time for
 * another attempt. Delays have full jitter: the requests that collided must not come back together.
 *
 * No attempt begins that the deadline could cut off before its own timeout does: whether it was committed would be
 * unknown, where giving up in time says that nothing was.
 *
 * @param attempt sends it once; an ambiguous failure is the SDK's to repeat, under the same token
 * @param decide  turns the reasons of a definite cancellation into a result; undefined when they decide nothing,
 *                {@link AT_ONCE} when the next attempt is another one
 */
export async function retryConflicts<T>(
  attempt: () => Promise<T>,
  { deadline, sleep, random }: ConflictRetry,
  decide: (reasons: CancellationReasons) => T | typeof AT_ONCE | undefined = () => undefined,
): Promise<T> {
  for (let made = 1, pauses = 0; ; made++) {
    try {
      return await attempt();
    } catch (error) {
      let met: Busy | undefined = 'conflict';
      let isAtOnce = false;
      if (error instanceof TransactionCanceledException) {
        const reasons = error.CancellationReasons ?? [];
        const decision = decide(reasons);
        if (decision !== undefined && decision !== AT_ONCE) return decision;
        isAtOnce = decision === AT_ONCE;
        // One that was overtaken met others, too.
        met = busyOf(reasons) ?? (isAtOnce ? 'conflict' : undefined);
        if (met === undefined) throw error;
      } else if (!(error instanceof TransactionConflictException)) {
        throw storeError(error);
      }
      const delayMs = isAtOnce ? 0 : jitteredDelayMs(++pauses, random);
      if (isLastAttempt(made, delayMs, deadline)) throw new StoreBusyError(met, error);
      if (!isAtOnce) await available(sleep(delayMs, deadline));
    }
  }
}

/** What another attempt may no longer meet; undefined: none would help. A throttle only where nothing conflicts. */
function busyOf(reasons: CancellationReasons): Busy | undefined {
  if (reasons.some(({ Code }) => Code === CONFLICT)) return 'conflict';
  return reasons.some(({ Code }) => THROTTLES.has(Code)) ? 'throttle' : undefined;
}

const isLastAttempt = (made: number, delayMs: number, deadline: Deadline): boolean =>
  deadline === NO_DEADLINE ? made === MAX_ATTEMPTS : deadline.leftMs() < delayMs + REQUEST_TIMEOUT_MS;

/** How long to wait after an attempt, the first being 1: anything up to a bound that doubles each time. */
export const jitteredDelayMs = (made: number, random: () => number): number =>
  random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (made - 1));
