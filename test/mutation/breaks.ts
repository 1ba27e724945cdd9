/**
 * `npm run breaks`: breaks one condition at a time, and names the test of `npm run test:unit` that notices it. Nothing is
 * written: the tests load the file as if it were broken. Words choose the conditions whose names have one of them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';

/** At least so many of all must be noticed. */
const LEAST_NOTICED = 22;

/** A condition, the name of its file, the text that must occur once in it, and what replaces it. */
const BREAKS: readonly (readonly [name: string, file: string, find: string, replacement: string])[] = [
  ['counter charged while units are lent', 'quota-charge.ts', '#shards = :one', '#shards >= :one'],
  ['cancelled replay not waited for', 'settlement.ts', "ofReplay.Code !== 'None'", 'false'],
  ['cap: one too many', 'quota-charge.ts', "':ceiling': limit - units", "':ceiling': 1 + limit - units"],
  ['rate: one too many in the write', 'admission.ts', '< #rpm', '<= #rpm'],
  ['clock that leads by three minutes', 'admission.ts', 'MAX_LEAD_MINUTES = 2', 'MAX_LEAD_MINUTES = 3'],
  ['paused key passes the write', 'admission.ts', "'attribute_not_exists(#paused)'", "'NOT contains(#paused, :scope)'"],
  ['fingerprint not compared', 'idempotency.ts', 'record.fingerprint !==', 'false && record.fingerprint !=='],
  ['no second read at the limit', 'idempotency.ts', 'record === undefined && exhausted', 'false && exhausted'],
  ['replay without event', 'idempotency.ts', 'await store.appendEvent(', 'void ('],
  ['refusals before admission with an event each', 'metering.ts', 'state.admitted || simulated)', 'true)'],
  ['last owner removable', 'account-counts.ts', 'owners: above(1)', 'owners: above(0)'],
  ['write ignores that the caller is a viewer', 'authority.ts', "role: not('viewer')", ''],
  ['removal without audit', 'members.ts', 'await audited(store, action,', '...(() => [])('],
  ['unverified address answers an invitation', 'invitation-answers.ts', '|| !emailVerified', ''],
  ['invitation’s expiry not in the write', 'invitation-answers.ts', 'expiresAtMs: above(store.clock.now()),', ''],
  ['invited again while valid', 'invitations.ts', '|| canBeAccepted(earlier, nowMs)', ''],
  ['old key outlives its end', 'key-rotation.ts', 'expiresAtMs ?? Infinity', 'Infinity'],
  ['rotation ignores pause', 'key-rotation.ts', 'if (old.paused)', 'if (false)'],
  ['active keys: one too many', 'active-keys.ts', 'size(#keys) < :limit', 'size(#keys) <= :limit'],
  ['token’s expiry not in the write', 'token-check.ts', 'expiresAtMs: above(nowMs),', ''],
  ['token of another project', 'token-authority.ts', 'token.projectId !== projectId', 'false'],
  ['token’s 61st request of a minute', 'token-authority.ts', 'PER_MINUTE = ', 'PER_MINUTE = 1 + '],
  ['previous webhook secret signs for ever', 'endpoint-secrets.ts', 'nowMs < previousUntilMs', 'previousUntilMs > 0'],
  ['redirect is a delivery', 'deliver.ts', 'status < 300', 'status < 400'],
  ['one public address of several is enough', 'post.ts', 'addresses.every(', 'addresses.some('],
  ['threshold not reached at its share', 'thresholds.ts', '>= percent *', '> percent *'],
  ['lower threshold beside a higher', 'thresholds.ts', 'marker !== undefined', 'false'],
  ['session’s whole age ignored', 'sessions.ts', 'nowMs < createdAtMs + absoluteMs', 'true'],
  ['page’s new Idempotency-Key at a repeat', 'use-action.ts', 'attempt.current.input !== text', 'true'],
  ['secret’s dialog closes unasked', 'once-dialog.tsx', 'onClose={() => (isCopied', 'onClose={() => (true'],
  ['page’s timer is activity', 'client.ts', '&& !isPersonActive()', '&& false'],
];

interface Break {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replacement: string;
}

/** The break with the path of its file. Throws where its text is not found once, in all files of that name. */
function located([name, file, find, replacement]: (typeof BREAKS)[number]): Break {
  const found = globSync('{functions,portal}/**/*.{ts,tsx}')
    .filter((path) => basename(path) === file)
    .flatMap((path) =>
      readFileSync(path, 'utf8')
        .split(find)
        .slice(1)
        .map(() => path),
    );
  const [path] = found;
  if (path !== undefined && found.length === 1) return { name, file: path, find, replacement };
  throw new Error(`${name}: “${find}” occurs ${found.length} times in files named ${file}, and must occur once.`);
}

/** Which test fails first: of those that load a file, or of all; undefined: none. */
async function failing(of: Break | undefined, loads?: string): Promise<string | undefined> {
  const some = loads === undefined ? [] : ['--passWithNoTests', '--findRelatedTests', loads];
  const env = { ...process.env, ...(of && { TEST_BREAK: JSON.stringify(of) }) };
  const child = spawn('npm', ['run', '--silent', 'test:unit', '--', '--bail', '--silent', ...some], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[status: number | null]>;
  const [said, [status]] = await Promise.all([text(child.stderr), exited]);
  if (status === 0) return undefined;
  const [, file, test] = /^FAIL (?:\S+ )?(test\/\S+).*\n *● (.+)$/m.exec(said) ?? [];
  if (file === undefined || test === undefined) throw new Error(`The tests did not run: ${said}`);
  return `${file}: ${test}`;
}

const words = process.argv.slice(2);
const chosen = BREAKS.filter(([name]) => words.length === 0 || words.some((word) => name.includes(word)));
if (chosen.length === 0) throw new Error('No condition has such a name.');
const breaks = chosen.map(located);
const before = await failing(undefined);
if (before !== undefined) throw new Error(`The tests fail without a break: ${before}`);
let count = 0;
for (const each of breaks) {
  // A file that is loaded by its path alone is none that jest knows.
  const test = (await failing(each, each.file)) ?? (await failing(each));
  if (test !== undefined) count++;
  process.stdout.write(
    `${test === undefined ? 'UNNOTICED' : 'noticed  '} ${each.name}${test ? `\n          ${test}` : ''}\n`,
  );
}
process.stdout.write(`${count} of ${breaks.length} noticed\n`);
if (words.length === 0 && count < LEAST_NOTICED) process.exitCode = 1;
