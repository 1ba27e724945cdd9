import { MIN_SECRET_LENGTH, type Entry, type SecretKind } from './journal.ts';
import { withoutApiKeys } from '../../../functions/shared/credentials/credential-text.ts';

/** A secret in a place where it must not be. */
export interface Leak {
  readonly kind: SecretKind | 'API key';
  readonly source: string;
  /** The text around it, without the secret itself. */
  readonly context: string;
}

type Secret = Extract<Entry, { secret: SecretKind }>;
type Output = Extract<Entry, { output: string }>;
const CONTEXT_CHARACTERS = 40;

/**
 * Every leak of a secret into an output. Anything in the form of a whole API key is a leak. Other secrets are searched
 * for as sent, and in the encodings of JSON, URLs and base64.
 */
export function findLeaks(entries: readonly Entry[]): Leak[] {
  const secrets = entries.filter((entry): entry is Secret => 'secret' in entry);
  const outputs = entries.filter((entry): entry is Output => 'output' in entry);
  const index = indexOf(secrets);
  return outputs.flatMap((output) => [...keysIn(output), ...secretsIn(output, index)]);
}

function keysIn({ output, text }: Output): Leak[] {
  const shown = withoutApiKeys(text);
  return shown === text ? [] : [{ kind: 'API key', source: output, context: around(shown, shown.indexOf('svc_…'), 5) }];
}

/** Spellings of secrets by their first characters, so that one pass over a text finds all of them. */
interface Index {
  readonly spellings: ReadonlyMap<string, readonly { readonly kind: SecretKind; readonly spelling: string }[]>;
  /** 1 at each mark (`nextMark`) of the first characters of a spelling. Few places of a text have such a mark. */
  readonly marked: Uint8Array;
}

const MARK_BITS = 20;
const BITS_PER_CHARACTER = 5;
/**
 * A number for the last four characters of a text, computed from the previous number: older characters are shifted out.
 */
const nextMark = (mark: number, character: number): number =>
  ((mark << BITS_PER_CHARACTER) ^ character) & ((1 << MARK_BITS) - 1);
const markOf = (text: string): number => {
  let mark = 0;
  for (let at = 0; at < text.length; at++) mark = nextMark(mark, text.charCodeAt(at));
  return mark;
};

function indexOf(secrets: readonly Secret[]): Index {
  const marked = new Uint8Array(1 << MARK_BITS);
  const spellings = new Map<string, { kind: SecretKind; spelling: string }[]>();
  for (const { secret: kind, text } of secrets) {
    const base64 = Buffer.from(text)
      .toString('base64')
      .replace(/.?.?=*$/, '');
    for (const spelling of new Set([
      text,
      JSON.stringify(text).slice(1, -1),
      encodeURIComponent(text.toWellFormed()),
      base64,
    ])) {
      const start = spelling.slice(0, MIN_SECRET_LENGTH);
      if (spelling.length < MIN_SECRET_LENGTH) continue;
      marked[markOf(start)] = 1;
      const same = spellings.get(start);
      if (same) same.push({ kind, spelling });
      else spellings.set(start, [{ kind, spelling }]);
    }
  }
  return { spellings, marked };
}

function secretsIn({ output, text, mayShow }: Output, { spellings, marked }: Index): Leak[] {
  const leaks: Leak[] = [];
  let mark = 0;
  for (let end = 0; end < text.length; end++) {
    mark = nextMark(mark, text.charCodeAt(end));
    const at = end + 1 - MIN_SECRET_LENGTH;
    if (at < 0 || marked[mark] === 0) continue;
    for (const { kind, spelling } of spellings.get(text.slice(at, at + MIN_SECRET_LENGTH)) ?? []) {
      if (mayShow.includes(kind)) continue;
      if (text.startsWith(spelling, at))
        leaks.push({ kind, source: output, context: around(text, at, spelling.length) });
    }
  }
  return leaks;
}

const around = (text: string, at: number, length: number): string => {
  const [before, after] = [text.slice(Math.max(0, at - CONTEXT_CHARACTERS), at), text.slice(at + length)];
  return `${before}<${length} characters>${after.slice(0, CONTEXT_CHARACTERS)}`.replaceAll(
    /svc_(test|live)_\w*/g,
    'svc_…',
  );
};
