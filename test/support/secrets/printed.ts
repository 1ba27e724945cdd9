import { noteKeys, noteOutput, type SecretKind } from './journal.ts';

/**
 * A key as the CLI and the banner show it, in the only place that may contain it: a whole line, or a member of JSON.
 */
const CREATED_KEY =
  /(^key +|^ *"key": *"|^\{[^{}]*"keyId":"[^"]*","key":")[a-z]{2,12}_(test|live)_[0-9A-Za-z]{42}("|$)/m;
const BANNER_KEY = /^ {2}Test key +[a-z]{2,12}_test_[0-9A-Za-z]{42}$/m;
const BANNER_CURL = /^ ?curl -i \S+ -H 'Authorization: Bearer [a-z]{2,12}_test_[0-9A-Za-z]{42}' /m;

/**
 * Notes the output of a process of this project, without the keys that it may show: one key, once, of `key create` and
 * `key rotate`; twice, also in a request to send, that of `quick-start`, and the demo key in the banner of `npm start`.
 */
export function notePrinted(
  args: readonly string[],
  printed: { readonly stdout: string; readonly stderr: string },
): void {
  const [script = '', noun = '', verb = ''] = args;
  const isAdmin = script.endsWith('bin/admin.ts') || args.includes('admin');
  let { stdout } = printed;
  noteKeys(stdout);
  if (args.includes('quick-start')) stdout = stdout.replace(CREATED_KEY, '').replace(BANNER_CURL, '');
  else if (args.includes('key') && (args.includes('create') || args.includes('rotate')))
    stdout = stdout.replace(CREATED_KEY, '');
  else stdout = stdout.replace(BANNER_KEY, '').replace(BANNER_CURL, '');
  const what = [script, noun, verb].filter((word) => /^[\w./-]+$/.test(word)).join(' ');
  // Usage reports contain usage events, and the admin CLI names people to the platform team.
  const mayShow: SecretKind[] = isAdmin
    ? ['e-mail address', ...(args.includes('usage') ? (['clientRequestId'] as const) : [])]
    : [];
  noteOutput(`the output of ${what}`, stdout, mayShow);
  // The CLI asks there before it changes a person's things.
  noteOutput(`the errors of ${what}`, printed.stderr, isAdmin ? ['e-mail address'] : []);
}
