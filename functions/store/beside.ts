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
  return beside(check, read(askingOnce(endingWith(check, reader), check)));
}

/** A reader whose calls end when a check refuses. Who has no deadline keeps none: an operator, who may know all. */
function endingWith<R extends StoreReader>(check: Promise<unknown>, reader: R): R {
  const { deadline } = reader;
  if (!deadline) return reader;
  const refused = new AbortController();
  check.catch(() => {
    refused.abort();
  });
  const signal = AbortSignal.any([deadline, refused.signal]);
  return { ...reader, deadline: Object.assign(signal, { leftMs: deadline.leftMs }) };
}

/**
 * A reader that asks the store on only when something is known: once a call is answered, each further one waits for it.
 * What was found first of what belongs to others then makes no further call, by whose time it could be told.
 */
function askingOnce<R extends StoreReader>(reader: R, known: Promise<unknown>): R {
  let isAnswered = false;
  const ask = reader.client.send.bind(reader.client) as (...call: readonly unknown[]) => Promise<unknown>;
  const send = async (...call: readonly unknown[]): Promise<unknown> => {
    if (isAnswered) await known;
    try {
      return await ask(...call);
    } finally {
      isAnswered = true;
    }
  };
  // The library's own pages ask for a client of its class.
  const client = Object.assign(Object.create(reader.client) as StoreReader['client'], { send });
  return { ...reader, client };
}
