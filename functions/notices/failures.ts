import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { StaleError } from '../accounts/store/refusals.ts';
import { StoreUnavailableError } from '../shared/http/errors.ts';
import { NOTICES_METRICS } from '../shared/names.ts';
import type { NoticesTelemetry } from './dependencies.ts';
import { MailHeldUpError } from './mail/ses-errors.ts';

/** A queue did not take all messages. */
export class QueueUnavailableError extends Error {
  override readonly name = 'QueueUnavailableError';
}

/** Another attempt does the same work now. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
}

/** What is left out could not be kept. It must come again. */
export class NotKeptError extends Error {
  override readonly name = 'NotKeptError';
}

/** DynamoDB's error for an invalid call. Another attempt would have the same error. */
const INVALID = 'ValidationException';

/**
 * Whether a later attempt may succeed: the store, a queue or the bucket of failures was unavailable, or a permission is
 * missing until the next deployment, or others changed the same. Any other failure is a defect in the stored data or in the code.
 */
export const isTransient = (error: unknown): boolean =>
  error instanceof StoreUnavailableError ||
  error instanceof QueueUnavailableError ||
  error instanceof MailHeldUpError ||
  error instanceof BusyError ||
  error instanceof StaleError ||
  error instanceof NotKeptError ||
  (error instanceof DynamoDBServiceException && error.name !== INVALID);

/** Reports something that is skipped and not tried again, in the log and in a metric. */
export function reportSkipped(
  telemetry: NoticesTelemetry,
  what: string,
  details: Readonly<Record<string, string | null>>,
  error: unknown,
): void {
  telemetry.warn(`${what} cannot be read and is left out`, details, error);
  telemetry.count(NOTICES_METRICS.recordsUnreadable);
}

/**
 * Runs a check. If the checked data cannot be read, skips it, so that it does not delay others. Rejects with a
 * transient failure.
 */
export async function unlessUnreadable(
  telemetry: NoticesTelemetry,
  what: string,
  details: Readonly<Record<string, string | null>>,
  check: () => Promise<void>,
): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (isTransient(error)) throw error;
    reportSkipped(telemetry, what, details, error);
  }
}
