import { SESv2ServiceException } from '@aws-sdk/client-sesv2';

/**
 * Whose failure an error of SES is. `ours`: somebody of the platform team must do something, and the mail waits.
 * `later`: it passes by itself. `theirs`: the recipient's address or mailbox, and another attempt would change nothing.
 */
export type Fault = 'ours' | 'later' | 'theirs';

interface Row {
  readonly name: string;
  /** Only with such a message. */
  readonly message?: RegExp;
  readonly fault: Fault;
}

/**
 * Every error of SES v2's `SendEmail` (AWS, "SendEmail", errors; "Amazon SES API errors"), the first that fits. One
 * that is not here is ours: a mail waits too long rather than being lost.
 */
const TABLE: readonly Row[] = [
  { name: 'AccountSuspendedException', fault: 'ours' },
  { name: 'SendingPausedException', fault: 'ours' },
  { name: 'MailFromDomainNotVerifiedException', fault: 'ours' },
  { name: 'NotFoundException', fault: 'ours' },
  { name: 'AccessDeniedException', fault: 'ours' },
  { name: 'LimitExceededException', fault: 'later' },
  { name: 'TooManyRequestsException', fault: 'later' },
  { name: 'ThrottlingException', fault: 'later' },
  { name: 'InternalFailure', fault: 'later' },
  { name: 'InternalServiceErrorException', fault: 'later' },
  { name: 'ServiceUnavailable', fault: 'later' },
  // The sandbox of SES, where recipients must be verified too, or an identity that lost its verification.
  { name: 'MessageRejected', message: /not verified/i, fault: 'ours' },
  { name: 'MessageRejected', message: /sending paused|suspended|daily message quota/i, fault: 'ours' },
  { name: 'MessageRejected', fault: 'theirs' },
  { name: 'BadRequestException', message: /domain|address|local part|recipient/i, fault: 'theirs' },
  { name: 'BadRequestException', fault: 'ours' },
];

/** Whose failure an error of a call to SES is. No answer at all passes by itself. */
export const faultOf = (error: unknown): Fault =>
  error instanceof SESv2ServiceException
    ? (TABLE.find(({ name, message }) => name === error.name && (message?.test(error.message) ?? true))?.fault ??
      (error.$fault === 'server' ? 'later' : 'ours'))
    : 'later';

/** The mail was not taken, and a later attempt may succeed. It has no text of SES, which can hold an address. */
export class MailHeldUpError extends Error {
  override readonly name = 'MailHeldUpError';
  readonly fault: 'ours' | 'later';
  /** The name of the error of SES. */
  readonly reason: string;

  constructor(fault: 'ours' | 'later', reason: string) {
    super(`the mail was not taken: ${reason}`);
    this.fault = fault;
    this.reason = reason;
  }
}
