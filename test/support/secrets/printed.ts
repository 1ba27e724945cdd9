import { noteKeys, noteOutput, type SecretKind } from './journal.ts';

/** A key as the CLI and the banner show it, in the one place where each may: a whole line, or a member of JSON. */
const CREATED_KEY = /(^key +|^ *"key": *"|^\{"keyId":"[^"]*","key":")svc_(test|live)_[0-9A-Za-z]{42}("|$)/m;
const BANNER_KEY = /^ {2}Test key +svc_test_[0-9A-Za-z]{42}$/m;
const BANNER_CURL = /^curl -i \S+ -H 'Authorization: Bearer svc_test_[0-9A-Za-z]{42}' /m;

/**
 * Notes what a process of this project printed, without the keys that it is there to show: one, once, by `key create`
 * and `key rotate`; the demo key, twice, in the banner of `npm start`.
 */
export function notePrinted(
  args: readonly string[],
  printed: { readonly stdout: string; readonly stderr: string },
): void {
  const [script = '', noun = '', verb = ''] = args;
  const isAdmin = script.endsWith('bin/admin.ts') || args.includes('admin');
  let { stdout } = printed;
  noteKeys(stdout);
  if (args.includes('key') && (args.includes('create') || args.includes('rotate')))
    stdout = stdout.replace(CREATED_KEY, '');
  else stdout = stdout.replace(BANNER_KEY, '').replace(BANNER_CURL, '');
  const what = [script, noun, verb].filter((word) => /^[\w./-]+$/.test(word)).join(' ');
  // Its reports are what usage events are for, and it names people to who operates the gateway.
  const mayShow: SecretKind[] = isAdmin
    ? ['e-mail address', ...(args.includes('usage') ? (['clientRequestId'] as const) : [])]
    : [];
  noteOutput(`the output of ${what}`, stdout, mayShow);
  // There it asks before it changes what is somebody's.
  noteOutput(`the errors of ${what}`, printed.stderr, isAdmin ? ['e-mail address'] : []);
}
