import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { StoreUnavailableError } from '../core/errors.ts';
import { NOTICES_METRICS } from '../wiring.ts';
import type { NoticesTelemetry } from './dependencies.ts';

/** A queue did not take all messages. */
export class QueueUnavailableError extends Error {
  override readonly name = 'QueueUnavailableError';
}

/** How DynamoDB refuses a call that is invalid in itself: a later try is refused again. */
const INVALID = 'ValidationException';

/**
 * Whether a failure may be over at a later try: of the store or a queue, or of a right that a deployment has yet to give. Any
 * other is a defect, of what is stored or of the code.
 */
export const isPassing = (error: unknown): boolean =>
  error instanceof StoreUnavailableError ||
  error instanceof QueueUnavailableError ||
  (error instanceof DynamoDBServiceException && error.name !== INVALID);

/** Tells the platform team of what cannot be worked on, and is not tried again. */
export function leaveOut(
  telemetry: NoticesTelemetry,
  what: string,
  details: Readonly<Record<string, string | null>>,
  error: unknown,
): void {
  telemetry.warn(`${what} cannot be read and is left out`, details, error);
  telemetry.count(NOTICES_METRICS.recordsUnreadable);
}

/**
 * Looks at something, unless that cannot be read: then it is left out, so that it delays nothing else. Rejects with a failure
 * that may pass.
 */
export async function unlessUnreadable(
  telemetry: NoticesTelemetry,
  what: string,
  details: Readonly<Record<string, string | null>>,
  look: () => Promise<void>,
): Promise<void> {
  try {
    await look();
  } catch (error) {
    if (isPassing(error)) throw error;
    leaveOut(telemetry, what, details, error);
  }
}
