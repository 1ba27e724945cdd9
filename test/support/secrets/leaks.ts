import { MIN_SECRET_LENGTH, type Entry, type SecretKind } from './journal.ts';
import { knowKeyPrefixes, withoutApiKeys } from '../../../functions/shared/credentials/credential-text.ts';
import { DEFAULT_KEY_PREFIX, KEY_PREFIX } from '../../../functions/shared/settings/key-prefixes.ts';

// Tests make keys of several stages.
knowKeyPrefixes([DEFAULT_KEY_PREFIX], KEY_PREFIX);

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
  const spellings = spellingsOf(secrets);
  return outputs.flatMap((output) => [...keysIn(output), ...secretsIn(output, spellings)]);
}

function keysIn({ output, text }: Output): Leak[] {
  const shown = withoutApiKeys(text);
  const [before = '', sign = ''] = shown.split(/([a-z]{2,12}_…)/, 2);
  return shown === text
    ? []
    : [{ kind: 'API key', source: output, context: around(shown, before.length, sign.length) }];
}

/** The spellings of secrets, by their first characters. */
type Spellings = ReadonlyMap<string, readonly { readonly kind: SecretKind; readonly spelling: string }[]>;

function spellingsOf(secrets: readonly Secret[]): Spellings {
  const spellings = secrets.flatMap(({ secret: kind, text }) => {
    const base64 = Buffer.from(text)
      .toString('base64')
      .replace(/.?.?=*$/, '');
    const all = new Set([text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text.toWellFormed()), base64]);
    return [...all].map((spelling) => ({ kind, spelling }));
  });
  const searched = spellings.filter(({ spelling }) => spelling.length >= MIN_SECRET_LENGTH);
  return Map.groupBy(searched, ({ spelling }) => spelling.slice(0, MIN_SECRET_LENGTH));
}

function secretsIn({ output, text, mayShow }: Output, spellings: Spellings): Leak[] {
  const leaks: Leak[] = [];
  for (let at = 0; at + MIN_SECRET_LENGTH <= text.length; at++) {
    for (const { kind, spelling } of spellings.get(text.slice(at, at + MIN_SECRET_LENGTH)) ?? []) {
      if (mayShow.includes(kind) || !text.startsWith(spelling, at)) continue;
      leaks.push({ kind, source: output, context: around(text, at, spelling.length) });
    }
  }
  return leaks;
}

const around = (text: string, at: number, length: number): string => {
  const [before, after] = [text.slice(Math.max(0, at - CONTEXT_CHARACTERS), at), text.slice(at + length)];
  return `${before}<${length} characters>${after.slice(0, CONTEXT_CHARACTERS)}`.replaceAll(
    /([a-z]{2,12})_(test|live)_\w*/g,
    '$1_…',
  );
};
