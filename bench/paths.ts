import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { generateApiKey, generateProjectId, SANDBOX_MODE } from '../functions/core/api-key.ts';
import { MS_PER_MINUTE, type Clock } from '../functions/core/clock.ts';
import type { KeyTagSecrets } from '../functions/core/key-tag.ts';
import type { HttpResponse } from '../functions/middleware/request-state.ts';
import { LOCAL_KEY_TAG_SECRETS } from '../local/settings.ts';
import { pingEvent, type PingWords } from './request.ts';
import { AMPLE, type Subject } from './subject.ts';

/** A clock that stands until it is set: what is prepared in a minute is measured in it. */
export interface BenchClock extends Clock {
  nowMs: number;
}

export const benchClock = (nowMs: number): BenchClock => ({
  nowMs,
  now() {
    return this.nowMs;
  },
});

/** A way that a request can go. */
export interface Path {
  readonly name: string;
  /** Does what must come before, and returns the request to measure. */
  readonly prepare: (subject: Subject, clock: BenchClock) => Promise<PingWords>;
  readonly status: number;
  /** What a request gets here that the peer's does not, where it costs more than the peer's. */
  readonly buys?: string;
}

/** A project with a key that has been used `times` this minute. */
async function used(subject: Subject, times: number, limits = AMPLE): Promise<PingWords> {
  const ping = { key: await subject.createTenant(limits) };
  for (let i = 0; i < times; i++) await serve(subject, ping);
  return ping;
}

/** What every charged request pays for beyond the peer's: the units of a transaction are twice those of single writes. */
const EXACT_LEDGER = 'one transaction: charge, event and replay agree after any crash';

/** A key that was never stored, tagged under this secret: its checksum is right. */
const unstoredKey = (secrets: KeyTagSecrets): string =>
  generateApiKey(SANDBOX_MODE, generateProjectId(randomBytes), secrets, randomBytes);

const regulars = new WeakMap<Subject, Promise<PingWords>>();

/** The key of a caller who is in the middle of a minute, as most are who call often. */
function regular(subject: Subject): Promise<PingWords> {
  const known = regulars.get(subject) ?? used(subject, 2);
  regulars.set(subject, known);
  return known;
}

/** The same words under an Idempotency-Key that nobody has used. */
const keyed = async (words: Promise<PingWords>): Promise<PingWords> => ({
  ...(await words),
  idempotencyKey: randomUUID(),
});

async function answered(subject: Subject): Promise<PingWords> {
  const words = await keyed(regular(subject));
  await serve(subject, words);
  return words;
}

/** Every path, each for both subjects. */
export const PATHS = {
  first: { name: 'first', status: 200, prepare: regular, buys: EXACT_LEDGER },
  firstWithKey: {
    name: 'first with key',
    status: 200,
    prepare: (subject) => keyed(regular(subject)),
    buys: EXACT_LEDGER,
  },
  firstOfMinute: {
    name: 'first, of a minute',
    status: 200,
    prepare: (subject) => used(subject, 0),
    buys: EXACT_LEDGER,
  },
  firstOfMinuteWithKey: {
    name: 'first with key, of a minute',
    status: 200,
    prepare: (subject) => keyed(used(subject, 0)),
    buys: EXACT_LEDGER,
  },
  replay: {
    name: 'replay',
    status: 200,
    prepare: answered,
    buys: 'the usage event idempotency_replay, and quota headers',
  },
  conflict: {
    name: 'conflict',
    status: 409,
    prepare: async (subject) => ({ ...(await answered(subject)), clientRequestId: 'another' }),
    buys: 'a usage event, and the stored answer stays',
  },
  rateLimited: {
    name: 'rate limited',
    status: 429,
    prepare: (subject) => used(subject, 1, { ...AMPLE, rpm: 1 }),
    buys: 'a usage event, and quota headers',
  },
  rateLimitedAgain: {
    name: 'rate limited again',
    status: 429,
    prepare: (subject) => used(subject, 2, { ...AMPLE, rpm: 1 }),
    buys: 'a usage event, and the same in every instance',
  },
  quotaUsedUp: {
    name: 'quota used up',
    status: 429,
    prepare: (subject) => used(subject, 2, { ...AMPLE, quotaLimit: 1 }),
    buys: 'a usage event',
  },
  quotaUsedUpWithKey: {
    name: 'quota used up, fresh key',
    status: 429,
    prepare: (subject) => keyed(used(subject, 2, { ...AMPLE, quotaLimit: 1 })),
    buys: 'a usage event, and a replay where a duplicate has just spent the last unit',
  },
  unknownKey: {
    name: 'bad key: unknown',
    status: 401,
    prepare: () => Promise.resolve({ key: unstoredKey(LOCAL_KEY_TAG_SECRETS) }),
    buys: 'known keys are admitted in one round trip',
  },
  forgedKey: {
    name: 'bad key: forged',
    status: 401,
    prepare: () => Promise.resolve({ key: unstoredKey([createSecretKey(randomBytes(32))]) }),
  },
} as const satisfies Record<string, Path>;

/** The one way for a key to need a second write: exactly 16 minutes (or a multiple) without a request. */
export const AFTER_16_MINUTES: Path = {
  name: 'first, exactly 16 minutes after the last',
  status: 200,
  prepare: async (subject, clock) => {
    // The peer's limiter reads the system's clock; an expired window costs it what a new one does.
    if (subject.name === 'peer') return used(subject, 0);
    const ping = await used(subject, 1);
    clock.nowMs += 16 * MS_PER_MINUTE;
    return ping;
  },
  buys: EXACT_LEDGER,
};

/** Serves a ping and returns the response. */
export const serve = (subject: Subject, words: PingWords): Promise<HttpResponse> => subject.handle(pingEvent(words));

/** Serves a request on a path; throws when the answer is not that path's. */
export async function serveOn({ name, status }: Path, subject: Subject, words: PingWords): Promise<void> {
  const response = await serve(subject, words);
  if (response.statusCode !== status) {
    throw new Error(`${subject.name}, ${name}: ${response.statusCode} and not ${status}: ${response.body}`);
  }
}
