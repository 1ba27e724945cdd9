import * as v from 'valibot';
import { MS_PER_SECOND } from '../../core/clock.ts';
import { cookieNames, readCookie, sendCookie, takeBackCookie, type PortalCookie } from '../cookies.ts';
import type { PortalContext } from '../environment.ts';

const NAME = 'sign-in-';
/** How long a person may take at the provider. */
const LIFETIME_SECONDS = 3_600;
/** Attempts that a browser keeps at once; of more the oldest are given up, or its headers would grow too long. */
const MAX_ATTEMPTS = 5;
/** What a state looks like: 256 random bits. A cookie name holds it as it is. */
const STATE = /^[0-9A-Za-z_-]{43}$/;

const Attempt = v.object({
  nonce: v.string(),
  codeVerifier: v.string(),
  returnTo: v.string(),
  expiresAtMs: v.number(),
  /** The session that this browser has; the callback comes from another site, without the `Strict` cookie. */
  earlier: v.optional(
    v.object({
      userId: v.pipe(v.string(), v.regex(/^usr_[0-9A-Za-z]{16}$/)),
      secretHash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
    }),
  ),
});

/** What the browser remembers of one attempt to sign in: each state has its own, so that two tabs go their own ways. */
export type Attempt = Omit<v.InferOutput<typeof Attempt>, 'expiresAtMs'>;

// Lax: the provider leads back here from another site.
const cookieOf = (state: string): PortalCookie => ({
  name: NAME + state,
  sameSite: 'Lax',
  maxAgeSeconds: LIFETIME_SECONDS,
});

/** Has the browser remember an attempt. */
export function rememberAttempt(c: PortalContext, state: string, attempt: Attempt, nowMs: number): void {
  const known = cookieNames(c, NAME);
  for (const name of known.slice(0, Math.max(0, known.length - (MAX_ATTEMPTS - 1)))) {
    takeBackCookie(c, { name, sameSite: 'Lax' });
  }
  const item: v.InferOutput<typeof Attempt> = { ...attempt, expiresAtMs: nowMs + LIFETIME_SECONDS * MS_PER_SECOND };
  sendCookie(c, cookieOf(state), Buffer.from(JSON.stringify(item)).toString('base64url'));
}

/** The attempt that a state belongs to; undefined: this browser has made none, or too long ago, or it is no state. */
export function readAttempt(c: PortalContext, state: string, nowMs: number): Attempt | undefined {
  if (!STATE.test(state)) return undefined;
  const text = Buffer.from(readCookie(c, NAME + state) ?? '', 'base64url').toString();
  const { success, output } = v.safeParse(v.pipe(v.string(), v.parseJson(), Attempt), text);
  return success && nowMs < output.expiresAtMs ? output : undefined;
}

/** Has the browser forget an attempt that succeeded. */
export const forgetAttempt = (c: PortalContext, state: string): void => takeBackCookie(c, cookieOf(state));
