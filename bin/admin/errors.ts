import { DynamoDBServiceException, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { StoreBusyError, StoreUnavailableError } from '../../functions/shared/http/errors.ts';

/** One line that says what went wrong, without a stack trace, and what to do if that is known. */
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
  return error instanceof Error ? `${firstLine(error.message)}${nextStep(error)}` : String(error);
}

/** The name of an error and the first line of its message; a refused connection has a code instead of a message. */
export function reason(cause: unknown): string {
  if (!(cause instanceof Error)) return 'no answer';
  const { code } = cause as NodeJS.ErrnoException;
  return firstLine(cause.message) === '' ? (code ?? cause.name) : `${cause.name}: ${firstLine(cause.message)}`;
}

/**
 * What to do about an AWS call that failed because of the region, the credentials or a permission; empty for anything
 * else.
 */
export function nextStep(cause: unknown, profile = process.env.AWS_PROFILE): string {
  if (!(cause instanceof Error)) return '';
  if (/^region is missing$/i.test(cause.message)) {
    return profile
      ? ` Set AWS_REGION: the profile ${profile} has no region, or is none of those of aws configure list-profiles.`
      : ' Set AWS_REGION, or AWS_PROFILE to a profile that has one.';
  }
  if (cause.name === 'CredentialsProviderError') {
    return profile
      ? ` Sign in to the profile ${profile} (aws sso login, or however your team does), if aws configure list-profiles has it.`
      : ' Sign in (aws sso login, or however your team does), and set AWS_PROFILE.';
  }
  if ((cause as NodeJS.ErrnoException).code === 'ENOTFOUND') return ' Is AWS_REGION one that there is?';
  if (/^(ExpiredToken|UnrecognizedClient|InvalidClientTokenId)/.test(cause.name)) {
    return ' Sign in again: the credentials have expired, or are not of this account.';
  }
  if (
    /^Request(Expired|TimeTooSkewed)/.test(cause.name) ||
    /^Signature (expired|not yet current)/.test(cause.message)
  ) {
    return ' Set the clock of this machine: AWS takes a signature for some minutes only.';
  }
  if (/^(InvalidSignature|IncompleteSignature|SignatureDoesNotMatch)/.test(cause.name)) {
    return (
      ' The credentials are known and the signature is wrong: a secret key that was mistyped, or a proxy that changes requests.' +
      ' Signing in again with the same changes nothing; without either it is a defect, to be reported.'
    );
  }
  if (cause.name.startsWith('AccessDenied')) {
    return ' Attach the policy of the output CliPolicyArn of SandboxGateway-<stage>-data.';
  }
  return '';
}

/**
 * A failed AWS call as an error of one line that says what to do; another error is returned unchanged.
 *
 * @param then what to do after that
 */
export function describeAwsError(error: unknown, then = ''): unknown {
  if (!(error instanceof Error)) return error;
  const isRefusal = '$fault' in error;
  if (!isRefusal && !('$metadata' in error) && error.name !== 'CredentialsProviderError') return error;
  const what = `${isRefusal ? 'AWS refused' : 'AWS cannot be asked'} (${reason(error)}).`;
  return new Error(`${what}${nextStep(error)}${then}`, { cause: error });
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** Whether nothing listens on this machine. */
const isRefusedHere = (cause: unknown): boolean =>
  cause instanceof Error &&
  (cause as NodeJS.ErrnoException).code === 'ECONNREFUSED' &&
  cause.message.includes('127.0.0.1');
