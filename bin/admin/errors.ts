import { DynamoDBServiceException, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { StoreBusyError, StoreUnavailableError } from '../../functions/core/errors.ts';

/** One line that says what went wrong, without a stack trace, and where it is known what to do. */
export function errorLine(error: unknown): string {
  if (error instanceof StoreBusyError) return `The database was busy (${error.message}). Run it again.`;
  if (error instanceof StoreUnavailableError) {
    const { cause } = error;
    if (cause instanceof ResourceNotFoundException) return 'The database has no such tables.';
    const hint = isRefusedHere(cause)
      ? ' Is npm start running? --local looks for it on DYNAMODB_PORT.'
      : nextStep(cause);
    return `The database cannot be reached (${reason(cause)}).${hint}`;
  }
  if (error instanceof DynamoDBServiceException) return `The database refused: ${reason(error)}${nextStep(error)}`;
  return error instanceof Error ? firstLine(error.message) : String(error);
}

/** The name of an error and the first line of its words; a refused connection has a code instead of words. */
export function reason(cause: unknown): string {
  if (!(cause instanceof Error)) return 'no answer';
  const { code } = cause as NodeJS.ErrnoException;
  return firstLine(cause.message) === '' ? (code ?? cause.name) : `${cause.name}: ${firstLine(cause.message)}`;
}

/** What to do about a call of AWS that failed for the region, the credentials or a permission; empty for all else. */
export function nextStep(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  if (/region is missing/i.test(cause.message)) return ' Set AWS_REGION, or AWS_PROFILE to a profile that has one.';
  if (cause.name === 'CredentialsProviderError') {
    return ' Sign in (aws sso login, or however your team does), and set AWS_PROFILE.';
  }
  if (/^(Expired|UnrecognizedClient|InvalidClientTokenId|InvalidSignature)/.test(cause.name)) {
    return ' Sign in again: the credentials have expired, or are not of this account.';
  }
  if (cause.name.startsWith('AccessDenied')) {
    return ' npm run admin -- policy --stage … prints what an operator needs.';
  }
  return '';
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** Whether nobody listens on this machine. */
const isRefusedHere = (cause: unknown): boolean =>
  cause instanceof Error &&
  (cause as NodeJS.ErrnoException).code === 'ECONNREFUSED' &&
  cause.message.includes('127.0.0.1');
