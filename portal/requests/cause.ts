import type { RequestCause, UsageEvent } from '../api/schemas.ts';
import { counted, formatSpan } from '../text/format.ts';

/** Whether the portal may know more of why a request was refused than its event says. */
export const hasCause = ({ code, simulated }: UsageEvent): boolean =>
  code !== null &&
  !simulated &&
  [
    ...['API_KEY_REVOKED', 'API_KEY_EXPIRED', 'API_KEY_PAUSED', 'PROJECT_SUSPENDED'],
    ...['IDEMPOTENCY_CONFLICT', 'RATE_LIMIT_EXCEEDED'],
  ].includes(code);

/** A cause in words: `Revoked`, by whom, `40 s before this request`. */
export interface CauseInWords {
  readonly what: string;
  /** A name, and an address. */
  readonly by?: readonly [name: string, address?: string] | undefined;
  readonly when?: string;
}

type Change = Extract<RequestCause, { readonly action: string }>;

const DONE: Readonly<Record<Change['action'], string>> = {
  'key.revoke': 'Revoked',
  'key.report': 'Found in public and revoked',
  'key.rotate': 'Ended by a rotation',
  'key.create': 'Created with this end',
  'key.update': 'Its end was set',
  'key.expire': 'Its end was set',
  'project.suspend': 'Suspended',
};

/** The cause of a request in words. */
export function inWords(cause: RequestCause, { code, occurredAt }: UsageEvent): CauseInWords {
  if ('count' in cause) {
    const least = cause.atLeast ? 'At least ' : '';
    return { what: `${least}${counted(cause.count, 'request')} of this key had this answer in its minute` };
  }
  const when = `${formatSpan(Date.parse(occurredAt) - Date.parse(cause.at))} before this request`;
  if ('requestId' in cause) return { what: 'The Idempotency-Key was used first', when };
  const what = code === 'API_KEY_PAUSED' ? 'Paused' : DONE[cause.action];
  return { what, by: nameOf(cause), when };
}

/** The same as a text. */
export function asSentence({ what, by, when }: CauseInWords): string {
  const done = by === undefined ? what : `${what} by ${by[0]}`;
  return `${when === undefined ? done : `${done}, ${when}`}.`;
}

function nameOf({ by, byKind, byEmail }: Change): CauseInWords['by'] {
  switch (byKind) {
    case 'operator':
      return ['the platform team'];
    case 'token':
      return [`the token ${by}`];
    case 'report':
      return undefined;
    case 'member':
    case 'former':
      return byEmail === undefined || byEmail === by ? [by] : [by, byEmail];
  }
}
