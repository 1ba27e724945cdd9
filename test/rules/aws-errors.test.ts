import { describe, expect, test } from '@jest/globals';
import { errorLine } from '../../bin/admin/errors.ts';

/** An error of AWS, as the SDK throws it. */
const refusal = (name: string, message: string): Error => Object.assign(new Error(message), { name });

const SIGN_IN = 'Sign in again: the credentials have expired, or are not of this account.';
const CLOCK = 'Set the clock of this machine: AWS takes a signature for some minutes only.';
const SIGNATURE =
  'The credentials are known and the signature is wrong: a secret key that was mistyped, or a proxy that changes requests. ' +
  'Signing in again with the same changes nothing; without either it is a defect, to be reported.';

describe('what to do is shown for AWS’s refusal', () => {
  test.each([
    ['ExpiredTokenException', 'The security token included in the request is expired', SIGN_IN],
    ['UnrecognizedClientException', 'The security token included in the request is invalid.', SIGN_IN],
    ['InvalidSignatureException', 'The request signature we calculated does not match the signature.', SIGNATURE],
    ['InvalidSignatureException', 'Credential should be scoped to a valid region.', SIGNATURE],
    ['IncompleteSignatureException', 'Credential must have exactly 5 slash-delimited elements.', SIGNATURE],
    ['InvalidSignatureException', 'Signature expired: 20301123T1 is now earlier than 20301123T2', CLOCK],
    ['RequestTimeTooSkewed', 'The difference between the request time and the current time is too large.', CLOCK],
  ])('%s: %s', (name, message, then) => {
    expect(errorLine(refusal(name, message))).toBe(`${message} ${then}`);
  });
});
