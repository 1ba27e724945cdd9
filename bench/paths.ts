import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { MS_PER_MINUTE } from '../functions/core/clock.ts';
import type { HttpResponse } from '../functions/middleware/request-state.ts';
import { generateKey, pingEvent, type PingWords } from './request.ts';
import { AMPLE, type BenchClock, type Limits, type Subject } from './subject.ts';

/** Does what must come before a request, and returns it. */
type Prepare = (subject: Subject, clock: BenchClock) => Promise<PingWords>;

/** A way that a request can go. */
export interface Path {
  readonly name: string;
  readonly status: number;
  readonly prepare: Prepare;
  /** What a request gets here that the peer's does not, where it costs more than the peer's. */
  readonly buys: string;
}

function path(name: string, status: number, prepare: Prepare, buys = 'nothing'): Path {
  return { name, status, prepare, buys };
}

/** A new project with a key that has been used `times` this minute. */
const used =
  (times: number, limits: Partial<Limits> = {}): Prepare =>
  async (subject) => {
    const words = { key: await subject.createTenant({ ...AMPLE, ...limits }) };
    for (let i = 0; i < times; i++) await serve(subject, words);
    return words;
  };

const regulars = new WeakMap<Subject, Promise<PingWords>>();

/** The key of a caller who is in the middle of a minute, as most are who call often. */
const regular: Prepare = (subject, clock) => {
  const known = regulars.get(subject) ?? used(2)(subject, clock);
  regulars.set(subject, known);
  return known;
};

/** The same under an Idempotency-Key that nobody has used. */
const keyed =
  (prepare: Prepare): Prepare =>
  async (subject, clock) => ({ ...(await prepare(subject, clock)), idempotencyKey: randomUUID() });

/** The same under an Idempotency-Key that was answered before. */
const answered: Prepare = async (subject, clock) => {
  const words = await keyed(regular)(subject, clock);
  await serve(subject, words);
  return words;
};

const conflicting: Prepare = async (...on) => ({ ...(await answered(...on)), clientRequestId: 'another' });

const unknownKey: Prepare = () => Promise.resolve(generateKey());
const forgedKey: Prepare = () => Promise.resolve(generateKey([createSecretKey(randomBytes(32))]));

/** What every charged request pays for beyond the peer's: the units of a transaction are twice those of single writes. */
const LEDGER = 'one transaction: charge, event and replay agree after any crash';

/** Every path, each for both subjects. */
export const PATHS = {
  first: path('first', 200, regular, LEDGER),
  firstWithKey: path('first with key', 200, keyed(regular), LEDGER),
  firstOfMinute: path('first, of a minute', 200, used(0), LEDGER),
  firstOfMinuteWithKey: path('first with key, of a minute', 200, keyed(used(0)), LEDGER),
  replay: path('replay', 200, answered, 'the usage event idempotency_replay, and quota headers'),
  conflict: path('conflict', 409, conflicting, 'a usage event, and the stored answer stays'),
  rateLimited: path('rate limited', 429, used(1, { rpm: 1 }), 'a usage event, and quota headers'),
  rateLimitedAgain: path(
    'rate limited again',
    429,
    used(2, { rpm: 1 }),
    'a usage event, and the same in every instance',
  ),
  quotaUsedUp: path('quota used up', 429, used(2, { quotaLimit: 1 }), 'a usage event'),
  quotaUsedUpWithKey: path(
    'quota used up, fresh key',
    429,
    keyed(used(2, { quotaLimit: 1 })),
    'a usage event, and a replay where a duplicate has just spent the last unit',
  ),
  unknownKey: path('bad key: unknown', 401, unknownKey, 'known keys are admitted in one round trip'),
  forgedKey: path('bad key: forged', 401, forgedKey),
};

/** The one way for a key to need a second write: exactly 16 minutes (or a multiple) without a request. */
export const AFTER_16_MINUTES = path(
  'first, exactly 16 minutes after the last',
  200,
  async (subject, clock) => {
    // The peer's limiter reads the system's clock; an expired window costs it what a new one does.
    if (subject.name === 'peer') return used(0)(subject, clock);
    const words = await used(1)(subject, clock);
    clock.nowMs += 16 * MS_PER_MINUTE;
    return words;
  },
  LEDGER,
);

/** Serves a ping and returns the response. */
export const serve = (subject: Subject, words: PingWords): Promise<HttpResponse> => subject.handle(pingEvent(words));

/** Serves a request on a path; throws when the answer is not that path's. */
export async function serveOn({ name, status }: Path, subject: Subject, words: PingWords): Promise<void> {
  const { statusCode, body } = await serve(subject, words);
  if (statusCode !== status) throw new Error(`${subject.name}, ${name}: ${statusCode} and not ${status}: ${body}`);
}
