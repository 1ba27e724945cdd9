import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import type { HttpResponse } from '../functions/gateway/middleware/request-state.ts';
import { generateKey, pingEvent, type PingWords } from './request.ts';
import { AMPLE, CAPPED, type Limits, type Subject } from './subject.ts';

/** Prepares the state for a request, and returns the request. */
type Prepare = (subject: Subject) => Promise<PingWords>;

/** One outcome of a request. */
export interface Path {
  readonly name: string;
  readonly status: number;
  readonly prepare: Prepare;
}

/** A new project with a key that has been used `times` this minute. */
const used =
  (times: number, limits: Partial<Limits> = {}): Prepare =>
  async (subject) => {
    const words = { key: await subject.createTenant({ ...AMPLE, ...limits }) };
    for (let i = 0; i < times; i++) await serve(subject, words);
    return words;
  };

/** The key of a caller in the middle of a minute, as is usual for frequent callers. */
const regular = used(2);

/** The same under an Idempotency-Key that nobody has used. */
const keyed =
  (prepare: Prepare): Prepare =>
  async (subject) => ({ ...(await prepare(subject)), idempotencyKey: randomUUID() });

/** The same under an Idempotency-Key that was answered before. */
const answered: Prepare = async (subject) => {
  const words = await keyed(regular)(subject);
  await serve(subject, words);
  return words;
};

const conflicting: Prepare = async (subject) => ({ ...(await answered(subject)), clientRequestId: 'another' });

const unknownKey: Prepare = () => Promise.resolve(generateKey());
const forgedKey: Prepare = () => Promise.resolve(generateKey([createSecretKey(randomBytes(32))]));

/** Every path, each for both subjects. */
export const PATHS = {
  first: { name: 'first', status: 200, prepare: regular },
  firstWithKey: { name: 'first with key', status: 200, prepare: keyed(regular) },
  firstOfMinute: { name: 'first, of a minute', status: 200, prepare: used(0) },
  firstOfMinuteWithKey: { name: 'first with key, of a minute', status: 200, prepare: keyed(used(0)) },
  replay: { name: 'replay', status: 200, prepare: answered },
  conflict: { name: 'conflict', status: 409, prepare: conflicting },
  rateLimited: { name: 'rate limited', status: 429, prepare: used(1, { rpm: 1 }) },
  rateLimitedAgain: { name: 'rate limited again', status: 429, prepare: used(2, { rpm: 1 }) },
  quotaUsedUp: { name: 'quota used up', status: 429, prepare: used(2, { quotaLimit: 1 }) },
  quotaUsedUpWithKey: { name: 'quota used up, fresh key', status: 429, prepare: keyed(used(2, { quotaLimit: 1 })) },
  unknownKey: { name: 'bad key: unknown', status: 401, prepare: unknownKey },
  forgedKey: { name: 'bad key: forged', status: 401, prepare: forgedKey },
} satisfies Record<string, Path>;

/** A first request of a key with a cap, which the peer does not have. */
export const CAPPED_PATH: Path = { name: 'first, key with a cap', status: 200, prepare: used(2, CAPPED) };

/** Serves a ping and returns the response. */
export const serve = (subject: Subject, words: PingWords): Promise<HttpResponse> => subject.handle(pingEvent(words));

/** Prepares a request on a path, and measures how it is served. */
export async function measureOn<T>(path: Path, subject: Subject, measure: (work: () => Promise<void>) => Promise<T>) {
  const words = await path.prepare(subject);
  return measure(() => serveOn(path, subject, words));
}

/** Serves a request on a path. Throws if the answer is not that of the path. */
export async function serveOn({ name, status }: Path, subject: Subject, words: PingWords): Promise<void> {
  const { statusCode, body } = await serve(subject, words);
  if (statusCode !== status) throw new Error(`${subject.name}, ${name}: ${statusCode} and not ${status}: ${body}`);
}
