import { counted } from '../text/format.ts';
import type { Delivery, Endpoint, NoticeKind } from './endpoint-queries.ts';

/** The kinds of notices in words, in the order of display. */
export const KIND_WORDS: readonly (readonly [NoticeKind, string])[] = [
  ['quota.threshold_reached', 'A threshold of a quota reached'],
  ['key.cap_reached', 'A threshold of a key’s cap reached'],
  ['key.expiring', 'A key expires soon'],
  ['token.expiring', 'A management token expires soon'],
  ['key.leaked', 'A key found in public'],
  ['project.suspended', 'A project suspended'],
  ['project.limits_changed', 'A project’s limits changed'],
  ['invitation.created', 'Somebody invited'],
  ['invitation.accepted', 'An invitation accepted'],
  ['invitation.declined', 'An invitation declined'],
  ['member.role_changed', 'A role changed'],
  ['member.removed', 'A member removed'],
  ['endpoint.disabled', 'An endpoint switched off'],
];

/** The default choice: notices of events that stop a service if nobody reacts. */
export const FIRST_KINDS: readonly NoticeKind[] = [
  'quota.threshold_reached',
  'key.cap_reached',
  'key.expiring',
  'key.leaked',
];

/** Which addresses there are: of a server, or on the machine of `npm start`, too. */
export const urlHint = (isLocal: boolean): string =>
  isLocal ? 'https, or http://localhost on this machine.' : 'https, with a public name. Put no secret in it.';

/** The error of an address. Null: the page finds none. The portal checks the rest. */
export const urlProblem = (url: string, isLocal: boolean): string | null => {
  const isTaken = url.startsWith('https://') || (isLocal && url.startsWith('http://localhost'));
  if (isTaken && URL.canParse(url)) return null;
  return `Give an https address, such as https://example.com/hooks${isLocal ? ', or http://localhost' : ''}.`;
};

/** An address may have 500 characters. A list and the title of a dialog show only its beginning. */
const MOST_SHOWN = 80;

/** An endpoint by its address, short: without the scheme, and cut. */
export function shortUrl({ url }: Pick<Endpoint, 'url'>): string {
  const short = url.replace(/^https:\/\//, '').replace(/\/$/, '');
  return short.length > MOST_SHOWN ? `${short.slice(0, MOST_SHOWN)}…` : short;
}

/** Until when deliveries are signed with the secret before the present one, too; undefined: they are not. */
export const twoSecretsUntil = (
  { previousSecretUntil: until }: Pick<Endpoint, 'previousSecretUntil'>,
  nowMs: number,
): string | undefined => (until !== null && Date.parse(until) > nowMs ? until : undefined);

const FAILURE_WORDS: Readonly<Record<NonNullable<Delivery['failure']>, string>> = {
  status: 'no success',
  timeout: 'no answer within 5 seconds',
  address: 'its name has no public address',
  connection: 'no connection, or a wrong certificate',
  withdrawn: 'the endpoint was off',
  dropped: 'too many waited',
};

interface Body {
  readonly data?: { readonly thresholdPercent?: number; readonly days?: number; readonly isSample?: boolean };
}

/** What tells two deliveries of a type apart: its figure, and whether it is a sample or a repeat. */
export function figureOf({ type, asked, body }: Pick<Delivery, 'type' | 'asked' | 'body'>): string {
  const { thresholdPercent, days, isSample } = (JSON.parse(body ?? '{}') as Body).data ?? {};
  return [
    thresholdPercent !== undefined && `${thresholdPercent} %`,
    days !== undefined && counted(days, 'day', 'days'),
    isSample && 'sample',
    // Before it was sent nobody can say whether it is a sample.
    asked && body !== null && !isSample && type !== 'endpoint.test' && 'repeated',
  ]
    .filter((word) => typeof word === 'string')
    .join(', ');
}

/** The result of the last attempt of a delivery. */
export function resultOf({ status, failure, attempts }: Delivery): string {
  if (attempts === 0 && failure === null) return 'not tried yet';
  if (status !== null) return `answered ${status}`;
  return failure === null ? 'no answer yet' : FAILURE_WORDS[failure];
}
