import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** What must never be found in clear, but where an output says that it may be: each where it belongs. */
export type SecretKind =
  | 'secret of a key'
  | 'secret of a session'
  | 'code of a sign-in'
  | 'state of a sign-in'
  | 'nonce of a sign-in'
  | 'PKCE verifier'
  | 'token'
  | 'client secret'
  | 'e-mail address'
  | 'secret of key tags'
  | 'Authorization'
  | 'Idempotency-Key'
  | 'request body'
  | 'clientRequestId';
/** One thing noted by a test: something to look for, or something to look into. */
export type Entry =
  | { readonly secret: SecretKind; readonly text: string }
  | { readonly output: string; readonly text: string; readonly mayShow: readonly SecretKind[] };

/** Names the directory of a run's notes; unset outside jest. */
export const JOURNAL_VARIABLE = 'TEST_SECRETS_DIRECTORY';
/** Shorter texts, such as `{}` or `k`, would be found anywhere by chance. */
export const MIN_SECRET_LENGTH = 8;

const noted = new Set<string>();

/** What a key ends in: its secret and the checksum of it. Found without what is before it, that is a leak too. */
const KEY_SECRET = /(?<=svc_(?:test|live)_[0-9A-Za-z]{12})[0-9A-Za-z]{30}/g;

/** Notes the secret of every key in a text. */
export function noteKeys(text: string): void {
  for (const [secret] of text.matchAll(KEY_SECRET)) noteSecret('secret of a key', secret);
}

/** One character over and over: what a test makes up for a secret that is none. */
const MADE_UP = /^(.)\1*$/s;

/** Notes something that must not be found in clear in anything that the run's processes emit or store. */
export function noteSecret(kind: SecretKind, text: string): void {
  if (text.length >= MIN_SECRET_LENGTH && !MADE_UP.test(text)) note({ secret: kind, text });
}

/** Notes something emitted: a log line, a metric, an error, what a process printed. */
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

/** Notes what is secret in a request. */
export function noteRequest(headers: Readonly<Record<string, unknown>>, body: string): void {
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') continue;
    // A scheme of its own or a fixed word says nothing: what follows it does.
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

/** Causes that are followed; an error may be its own. */
const MAX_CAUSES = 5;

/** Notes an error as whoever prints it whole would: message and stack, with its causes. */
export function noteError(source: string, error: unknown, causesLeft = MAX_CAUSES): void {
  if (!(error instanceof Error)) return;
  noteOutput(source, `${error.message}\n${error.stack ?? ''}`);
  if (causesLeft > 0) noteError(source, error.cause, causesLeft - 1);
}
