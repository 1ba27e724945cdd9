import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import * as v from 'valibot';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { instanceMemory } from '../../accounts/store/instance-memory.ts';
import { MS_PER_SECOND } from '../../shared/time.ts';
import type { KeyTagSecrets } from '../../shared/credentials/api-key.ts';
import { cookieNames, readCookie, sendCookie, clearCookie, type PortalCookie } from '../request/cookies.ts';
import type { PortalContext } from '../request/hono-context.ts';

const NAME = 'sign-in-';
/** How long a person may take at the provider. */
const LIFETIME_SECONDS = 3_600;
/** The most attempts in one browser. With more, the oldest are deleted, because its headers would become too long. */
const MAX_ATTEMPTS = 5;
/** The form of a state: 256 random bits. It is part of a cookie's name. */
const STATE = /^[0-9A-Za-z_-]{43}$/;
/** An attempt as JSON. Its last member is the MAC of everything before it: versions without MACs can read it, too. */
const SIGNED = /^(.*),"mac":"([0-9A-Za-z_-]{43})"\}$/s;
/** Separates these MACs from the tags of keys, which are made under the same secrets. */
const LABEL = 'sign-in attempt';

const Attempt = v.object({
  nonce: v.string(),
  codeVerifier: v.string(),
  returnTo: v.string(),
  expiresAtMs: v.number(),
  /** The present session of this browser: the callback comes from another site, without the `Strict` cookie. */
  earlier: v.optional(
    v.object({
      userId: v.pipe(v.string(), v.regex(/^usr_[0-9A-Za-z]{16}$/)),
      secretHash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
    }),
  ),
});

/** An attempt to sign in, stored in the browser. Each state has its own attempt, so that two tabs are independent. */
export type Attempt = Omit<v.InferOutput<typeof Attempt>, 'expiresAtMs'>;

// Lax: the provider redirects back here from another site.
const cookieOf = (state: string): PortalCookie => ({
  name: NAME + state,
  sameSite: 'Lax',
  maxAgeSeconds: LIFETIME_SECONDS,
});

/** Stores an attempt in the browser, with a MAC under the newest secret. */
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
 * The attempt of a state; undefined: this browser has made none, or too long ago, or the state is invalid, or the
 * portal has not made the attempt. So an invented callback causes no request to the provider.
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

/** Deletes an attempt that succeeded from the browser. */
export const forgetAttempt = (c: PortalContext, state: string): void => clearCookie(c, cookieOf(state));

/** Attempts that an instance has seen answered, by their states. */
const MAX_KNOWN = 10_000;
const answeredOf = instanceMemory(MAX_KNOWN);

/**
 * Whether this is the first answer to an attempt that this instance sees: one attempt makes it call the provider once,
 * whether that succeeds or not. Nothing is stored elsewhere, since anybody could cause such a write.
 */
export function isFirstAnswer(store: AccountStore, state: string): boolean {
  const answered = answeredOf(store);
  if (answered.has(state)) return false;
  answered.add(state);
  return true;
}
