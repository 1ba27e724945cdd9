import { hash } from 'node:crypto';

/** Finds the requests with several events, for any number of events, in bounded memory. */
export interface RepeatedRequests {
  /** Takes an event's request id. */
  note(requestId: string): void;
  /** The ids that were noted more than once. With very many ids there are a few more: they have to be counted. */
  readonly candidates: ReadonlySet<string>;
}

/** Ids that are stored exactly, some 2 MB. */
const MAX_EXACT = 10_000;
/**
 * The most candidates. Some ids are candidates by chance: with a million ids in one of a hundred runs, with ten million
 * some 700.
 */
const MAX_CANDIDATES = 10_000;

export function repeatedRequests(): RepeatedRequests {
  const candidates = new Set<string>();
  const exact = new Set<string>();
  let isKnown = (requestId: string): boolean => {
    if (exact.has(requestId)) return true;
    exact.add(requestId);
    if (exact.size === MAX_EXACT) {
      isKnown = bloomFilter();
      for (const each of exact) isKnown(each);
    }
    return false;
  };
  return {
    candidates,
    note: (requestId) => {
      if (isKnown(requestId) && candidates.size < MAX_CANDIDATES) candidates.add(requestId);
    },
  };
}

/** 32 MiB. */
const BITS = 2 ** 28;
const BITS_PER_WORD = 32;
const PLACES = 4;

/** Adds a text, and returns whether it may have been added before; certainly true if it was (Bloom, 1970). */
function bloomFilter(): (text: string) => boolean {
  const words = new Uint32Array(BITS / BITS_PER_WORD);
  return (text) => {
    let isKnown = true;
    const digest = hash('sha256', text, 'buffer');
    for (let place = 0; place < PLACES; place++) {
      const bit = digest.readUInt32LE(4 * place) % BITS;
      const word = Math.floor(bit / BITS_PER_WORD);
      // A shift uses only the low bits of its operand.
      const mask = 1 << bit;
      if (((words[word] ?? 0) & mask) === 0) isKnown = false;
      words[word] = (words[word] ?? 0) | mask;
    }
    return isKnown;
  };
}
