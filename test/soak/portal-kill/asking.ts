import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { WireClient } from '../../support/http-client.ts';
import { portalBrowser, type Asked } from './wire.ts';

/** The answer to a change, which was repeated until there was one. */
export interface Outcome {
  /** The code of an error; undefined for a success. */
  readonly code: string | undefined;
  readonly body: Readonly<Record<string, string | undefined>>;
  /** How many earlier attempts had no answer. Each of them may have made the change. */
  readonly lost: number;
}

/** A person at a browser, whose requests go to any of the portals. */
export type Visitor = ReturnType<typeof visitor>;

const RETRY_PAUSE_MS = 20;
const GIVE_UP_AFTER_MS = 40_000;
const MAX_SIGN_INS = 20;

/** Every request with its answer, if there was one. */
export type Attempts = { readonly status: number | undefined }[];

/**
 * Signs a person in who acts as the page does: a request without an answer, or with 503, is repeated to whichever
 * portal runs, under the same Idempotency-Key.
 */
export async function signedIn(
  client: WireClient,
  portals: () => readonly string[],
  attempts: Attempts,
  email: string,
) {
  let turn = 0;
  const anyPortal = (): string => {
    const all = portals();
    return all[turn++ % all.length] ?? '';
  };
  const browser = portalBrowser(client, anyPortal, email);
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

function visitor(browser: ReturnType<typeof portalBrowser>, anyPortal: () => string, attempts: Attempts) {
  const [userId = ''] = (browser.jar.cookies.get('__Host-Http-session') ?? '').split('.');
  return {
    email: browser.email,
    userId,
    ask: async (...asked: Asked): Promise<Outcome> => {
      const key = { 'Idempotency-Key': randomUUID() };
      const giveUpAtMs = performance.now() + GIVE_UP_AFTER_MS;
      for (let lost = 0; ; lost++) {
        const sent = browser.send(anyPortal(), asked, key);
        const answer = await sent.catch((error: unknown) => {
          if (!isOfTheSystem(error)) throw error;
          return undefined;
        });
        attempts.push({ status: answer?.status });
        if (answer && answer.status !== 503) {
          const { status, body, text } = answer;
          assert.ok(status < 500, `${asked[0]} ${asked[1]}: ${text}`);
          return { code: status < 400 ? undefined : String(body.code), body: body as Outcome['body'], lost };
        }
        assert.ok(performance.now() < giveUpAtMs, `no answer to ${asked[0]} ${asked[1]}`);
        await pause(RETRY_PAUSE_MS);
      }
    },
  };
}

/** Whether a connection failed. An answer outside of the contract is a defect and not a lost answer. */
const isOfTheSystem = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code));
