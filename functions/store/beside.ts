import { NO_DEADLINE } from './conflicts.ts';
import type { StoreReader } from './items.ts';

/** Awaits both to their end: a call left in flight would be frozen with the function. The first one's failure counts first. */
export async function beside<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  const [one, other] = await Promise.allSettled([first, second]);
  if (one.status === 'rejected') throw one.reason;
  if (other.status === 'rejected') throw other.reason;
  return [one.value, other.value];
}

/**
 * Reads beside what decides whether it may be told. Where that refuses, the reading ends at once: the time of a refusal
 * does not tell how much there would have been to read.
 */
export function besideCheck<R extends StoreReader, A, B>(
  reader: R,
  check: Promise<A>,
  read: (reader: R) => Promise<B>,
): Promise<[A, B]> {
  const refused = new AbortController();
  check.catch(() => {
    refused.abort();
  });
  const { deadline = NO_DEADLINE } = reader;
  const signal = AbortSignal.any([deadline, refused.signal]);
  const held = { ...reader, deadline: Object.assign(signal, { leftMs: deadline.leftMs }) };
  return beside(check, read(held));
}
