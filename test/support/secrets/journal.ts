import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** Values that must never occur in clear, except where an output is allowed to show them. */
export const SECRET_KINDS = [
  'secret of a key',
  'secret of a session',
  'secret of an endpoint',
  'code of a sign-in',
  'state of a sign-in',
  'nonce of a sign-in',
  'PKCE verifier',
  'token',
  'client secret',
  'e-mail address',
  'secret of key tags',
  'Authorization',
  'Idempotency-Key',
  'request body',
  'clientRequestId',
] as const;
export type SecretKind = (typeof SECRET_KINDS)[number];
/** One note of a test: a secret to search for, or an output to search in. */
export type Entry =
  | { readonly secret: SecretKind; readonly text: string }
  | { readonly output: string; readonly text: string; readonly mayShow: readonly SecretKind[] };

/** The variable with the directory of a run's notes; unset outside jest. */
export const JOURNAL_VARIABLE = 'TEST_SECRETS_DIRECTORY';
/** Shorter texts, such as `{}` or `k`, occur anywhere by chance. */
export const MIN_SECRET_LENGTH = 8;

const noted = new Set<string>();

/** The end of a key or management token: secret and checksum. It is a leak even without the part before it. */
const KEY_SECRET = /(?<=(?:[a-z]{2,12}_(?:test|live)_[0-9A-Za-z]{12}|svc_mgmt_[0-9A-Za-z]{16}))[0-9A-Za-z]{30}/g;

/** Notes the secret of every key and management token in a text. */
export function noteKeys(text: string): void {
  for (const [secret] of text.matchAll(KEY_SECRET)) noteSecret('secret of a key', secret);
}

/** One repeated character: a made-up text in place of a secret. */
const MADE_UP = /^(.)\1*$/s;

/** Notes a text that must not occur in clear in anything that the run's processes emit or store. */
export function noteSecret(kind: SecretKind, text: string): void {
  if (text.length >= MIN_SECRET_LENGTH && !MADE_UP.test(text)) note({ secret: kind, text });
}

/** Notes an output: a log line, a metric, an error, or the output of a process. */
export function noteOutput(source: string, text: string, mayShow: readonly SecretKind[] = []): void {
  if (text !== '') note({ output: source, text, mayShow });
}

function note(entry: Entry): void {
  const directory = process.env[JOURNAL_VARIABLE];
  const line = JSON.stringify(entry);
  if (directory === undefined || noted.has(line)) return;
  noted.add(line);
  appendFileSync(join(directory, `${process.pid}.jsonl`), `${line}\n`);
}

/** Notes the secrets of a request. */
export function noteRequest(headers: Readonly<Record<string, unknown>>, body: string): void {
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') continue;
    // A scheme or a fixed word is not secret; the text after it is.
    if (name.toLowerCase() === 'authorization') noteSecret('Authorization', value.replace(/^\S* +/, ''));
    noteKeys(value);
    if (name.toLowerCase() === 'idempotency-key') noteSecret('Idempotency-Key', value);
  }
  noteSecret('request body', body);
  const id = clientRequestIdOf(body);
  if (id !== undefined) noteSecret('clientRequestId', id);
}

function clientRequestIdOf(body: string): string | undefined {
  try {
    const { clientRequestId } = JSON.parse(body) as { clientRequestId?: unknown };
    return typeof clientRequestId === 'string' ? clientRequestId : undefined;
  } catch {
    return undefined;
  }
}

/** The number of causes that are followed; an error may be its own cause. */
const MAX_CAUSES = 5;

/** Notes everything that a printed error shows: message and stack, with its causes. */
export function noteError(source: string, error: unknown, causesLeft = MAX_CAUSES): void {
  if (!(error instanceof Error)) return;
  noteOutput(source, `${error.message}\n${error.stack ?? ''}`);
  if (causesLeft > 0) noteError(source, error.cause, causesLeft - 1);
}
