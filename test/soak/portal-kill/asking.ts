import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Asked, MeasuredWire } from '../team/wire.ts';

/** The last answer to a change that was asked for until there was one. */
export interface Outcome {
  readonly status: number;
  /** Of an error; undefined: it is none. */
  readonly code: string | undefined;
  readonly body: Readonly<Record<string, string | undefined>>;
  /** How often it was asked for before without being told: it may have been made then. */
  readonly lost: number;
}

/** Somebody at a browser, whose requests go to any of the portals. */
export type Visitor = ReturnType<typeof visitor>;

const RETRY_PAUSE_MS = 20;
const GIVE_UP_AFTER_MS = 40_000;
const MAX_SIGN_INS = 20;

/** Everything that was asked for: for each time whether, and what, was answered. */
export type Attempts = { readonly status: number | undefined }[];

/**
 * Signs somebody in who asks as the page does: what is not answered, or answered 503, is asked for again, of whichever
 * portal is there, under the same Idempotency-Key.
 */
export async function signedIn(
  wire: MeasuredWire,
  portals: () => readonly string[],
  attempts: Attempts,
  email: string,
) {
  let turn = 0;
  const anyPortal = (): string => {
    const all = portals();
    return all[turn++ % all.length] ?? '';
  };
  const browser = wire.browser(email, anyPortal);
  for (let tried = 1; ; tried++) {
    try {
      await browser.signIn();
      break;
    } catch (error) {
      if (tried === MAX_SIGN_INS) throw error;
      await pause(RETRY_PAUSE_MS);
    }
  }
  return visitor(browser, anyPortal, attempts);
}

function visitor(browser: ReturnType<MeasuredWire['browser']>, anyPortal: () => string, attempts: Attempts) {
  const [userId = ''] = (browser.jar.cookies.get('__Host-Http-session') ?? '').split('.');
  return {
    email: browser.email,
    userId,
    ask: async (kind: string, ...asked: Asked): Promise<Outcome> => {
      const key = { 'Idempotency-Key': randomUUID() };
      const giveUpAtMs = performance.now() + GIVE_UP_AFTER_MS;
      for (let lost = 0; ; lost++) {
        const sent = browser.sendTo(anyPortal(), kind, asked, key);
        const answer = await sent.catch((error: unknown) => {
          if (!isOfTheSystem(error)) throw error;
          return undefined;
        });
        attempts.push({ status: answer?.status });
        if (answer && answer.status !== 503) {
          const { status, body, text } = answer;
          assert.ok(status < 500, `${kind}: ${text}`);
          return { status, code: status < 400 ? undefined : String(body.code), body: body as Outcome['body'], lost };
        }
        assert.ok(performance.now() < giveUpAtMs, `no answer to ${kind}`);
        await pause(RETRY_PAUSE_MS);
      }
    },
  };
}

/** Whether a connection failed: an answer that the contract does not have is none that was lost. */
const isOfTheSystem = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code));
