import { withoutApiKeys } from '../../../functions/core/api-key.ts';
import { MIN_SECRET_LENGTH, type Entry, type SecretKind } from './journal.ts';

/** Something secret, found where it must not be. */
export interface Leak {
  readonly kind: SecretKind | 'API key';
  readonly source: string;
  /** Around it, with the secret itself taken out. */
  readonly context: string;
}

type Secret = Extract<Entry, { secret: SecretKind }>;
type Output = Extract<Entry, { output: string }>;
const CONTEXT_CHARACTERS = 40;

/**
 * Every leak of secrets into outputs. Anything with the shape of a whole API key is one, whoever made it; the rest is
 * looked for as it was sent, and as JSON, an address and base64 would write it.
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

/** Spellings of secrets by their first characters: a text is then looked through once for all of them. */
type Index = ReadonlyMap<string, readonly { readonly kind: SecretKind; readonly spelling: string }[]>;

function indexOf(secrets: readonly Secret[]): Index {
  const index = new Map<string, { kind: SecretKind; spelling: string }[]>();
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
      const same = index.get(start);
      if (same) same.push({ kind, spelling });
      else index.set(start, [{ kind, spelling }]);
    }
  }
  return index;
}

function secretsIn({ output, text, mayShow }: Output, index: Index): Leak[] {
  const leaks: Leak[] = [];
  for (let at = 0; at + MIN_SECRET_LENGTH <= text.length; at++) {
    for (const { kind, spelling } of index.get(text.slice(at, at + MIN_SECRET_LENGTH)) ?? []) {
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
