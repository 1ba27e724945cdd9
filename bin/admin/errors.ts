import { DynamoDBServiceException, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { StoreUnavailableError } from '../../functions/core/errors.ts';

/** One line that says what went wrong, without a stack trace. */
export function errorLine(error: unknown): string {
  if (error instanceof StoreUnavailableError) {
    if (error.cause instanceof ResourceNotFoundException) return 'The database has no such tables.';
    const hint = isRefusedHere(error.cause) ? ' Is npm start running? --local looks for it on DYNAMODB_PORT.' : '';
    return `The database cannot be reached (${reason(error.cause)}).${hint}`;
  }
  if (error instanceof DynamoDBServiceException) return `The database refused: ${reason(error)}`;
  return error instanceof Error ? firstLine(error.message) : String(error);
}

/** The name of an error and the first line of its words; a refused connection has a code instead of words. */
export function reason(cause: unknown): string {
  if (!(cause instanceof Error)) return 'no answer';
  const { code } = cause as NodeJS.ErrnoException;
  return firstLine(cause.message) === '' ? (code ?? cause.name) : `${cause.name}: ${firstLine(cause.message)}`;
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** Whether nobody listens on this machine. */
const isRefusedHere = (cause: unknown): boolean =>
  cause instanceof Error &&
  (cause as NodeJS.ErrnoException).code === 'ECONNREFUSED' &&
  cause.message.includes('127.0.0.1');
