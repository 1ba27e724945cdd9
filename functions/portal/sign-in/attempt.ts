import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import * as v from 'valibot';
import { MS_PER_SECOND } from '../../core/clock.ts';
import type { KeyTagSecrets } from '../../core/api-key.ts';
import { cookieNames, readCookie, sendCookie, clearCookie, type PortalCookie } from '../cookies.ts';
import type { PortalContext } from '../environment.ts';

const NAME = 'sign-in-';
/** How long a person may take at the provider. */
const LIFETIME_SECONDS = 3_600;
/** Attempts that a browser keeps at once; of more the oldest are given up, or its headers would grow too long. */
const MAX_ATTEMPTS = 5;
/** What a state looks like: 256 random bits. A cookie name holds it as it is. */
const STATE = /^[0-9A-Za-z_-]{43}$/;
/** An attempt as JSON, whose last member is the MAC of all before it: versions from before the MAC read it, too. */
const SIGNED = /^(.*),"mac":"([0-9A-Za-z_-]{43})"\}$/s;
/** Sets these MACs apart from the tags of keys, which are made under the same secrets. */
const LABEL = 'sign-in attempt';

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

/** Has the browser remember an attempt, with a MAC under the newest of the secrets. */
export function rememberAttempt(
  c: PortalContext,
  state: string,
  attempt: Attempt,
  { nowMs, secrets }: { readonly nowMs: number; readonly secrets: KeyTagSecrets },
): void {
  const known = cookieNames(c, NAME);
  for (const name of known.slice(0, Math.max(0, known.length - (MAX_ATTEMPTS - 1)))) {
    clearCookie(c, { name, sameSite: 'Lax' });
  }
  const item: v.InferOutput<typeof Attempt> = { ...attempt, expiresAtMs: nowMs + LIFETIME_SECONDS * MS_PER_SECOND };
  const text = JSON.stringify(item).slice(0, -1);
  const mac = macOf(state, text, secrets[0]).toString('base64url');
  sendCookie(c, cookieOf(state), Buffer.from(`${text},"mac":"${mac}"}`).toString('base64url'));
}

/**
 * The attempt that a state belongs to; undefined: this browser has made none, or too long ago, or it is no state, or the
 * portal has not made it. So the provider is asked about no callback that was made up.
 */
export function readAttempt(
  c: PortalContext,
  state: string,
  { nowMs, secrets }: { readonly nowMs: number; readonly secrets: KeyTagSecrets },
): Attempt | undefined {
  if (!STATE.test(state)) return undefined;
  const signed = Buffer.from(readCookie(c, NAME + state) ?? '', 'base64url').toString();
  const [, text = '', mac = ''] = SIGNED.exec(signed) ?? [];
  const given = Buffer.from(mac, 'base64url');
  const isOurs = secrets.some((secret) => {
    const right = macOf(state, text, secret);
    return given.length === right.length && timingSafeEqual(given, right);
  });
  if (!isOurs) return undefined;
  const { success, output } = v.safeParse(v.pipe(v.string(), v.parseJson(), Attempt), signed);
  return success && nowMs < output.expiresAtMs ? output : undefined;
}

const macOf = (state: string, text: string, secret: KeyObject): Buffer =>
  createHmac('sha256', secret).update(`${LABEL}\n${state}\n${text}`).digest();

/** Has the browser forget an attempt that succeeded. */
export const forgetAttempt = (c: PortalContext, state: string): void => clearCookie(c, cookieOf(state));
