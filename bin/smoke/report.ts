import { styleText } from 'node:util';
import { mismatches } from '../../local/openapi/validation.ts';
import { escaped, plural } from '../cli/text.ts';
import { checkAnswers, unitsOf } from './answers.ts';
import { checkRequests } from './checks.ts';
import { codeOf, type Answer } from './expectations.ts';
import { startRun, type CheckResult, type SmokeKeys } from './run.ts';

/** The findings and the cost of a run. */
export type SmokeReport = Awaited<ReturnType<typeof runSmoke>>;

/**
 * Runs every check, some with a browser origin that must be allowed or the key of a project without units. A skipped
 * check is no failure by itself: the one that it depends on has failed. Throws an error of one line when there is no
 * answer.
 */
export async function runSmoke(baseUrl: string, { origin, ...keys }: SmokeKeys & { readonly origin?: string }) {
  const run = startRun(baseUrl, mismatches, keys);
  await checkRequests(run, origin, keys.exhaustedKey !== undefined);
  await checkAnswers(run);
  const { results: checks, answers } = run;
  const withKey = answers.filter(({ caller }) => caller !== undefined);
  return {
    ok: checks.every(({ status }) => status !== 'fail'),
    url: baseUrl,
    checks,
    /** Requests with a key that the rate limit has counted; one without an answer counts, too. */
    authenticatedRequests: withKey.filter(isCounted).length,
    /** Units of the quota; a request without an answer counts as charged. */
    unitsCharged: withKey.reduce((sum, answer) => sum + (answer.status === 0 ? 1 : unitsOf(answer)), 0),
  };
}

/** A request that was refused before admission or over the rate is not counted in the window. */
const isCounted = (answer: Answer): boolean =>
  !([401, 403].includes(answer.status) || codeOf(answer) === 'RATE_LIMIT_EXCEEDED');

const COLOURS = { ok: 'green', note: 'yellow', fail: 'red', skip: 'dim' } as const;

/** The report for people, in colours on a terminal. Invisible characters are escaped. */
export function reportText({ ok, url, checks, authenticatedRequests, unitsCharged }: SmokeReport): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const counted = (status: CheckResult['status']) => checks.filter((check) => check.status === status).length;
  const [requests, units] = [plural(authenticatedRequests, 'authenticated request'), plural(unitsCharged, 'unit')];
  const sums = `${counted('ok')} ok, ${plural(counted('note'), 'note')}, ${counted('fail')} failed, ${counted('skip')} skipped`;
  const rows = checks.map(({ name, status, detail }) => {
    const label = status === 'fail' ? 'FAIL' : status.padEnd(4);
    return `${styleText(COLOURS[status], label)}  ${name.padEnd(width)}  ${escaped(detail)}`;
  });
  const verdict = styleText(ok ? 'green' : 'red', ok ? 'PASSED' : 'FAILED');
  const cost = `Cost: ${requests} counted in the rate, ${units} charged.`;
  return [`Checking ${url}`, '', ...rows, '', cost, `${verdict}: ${sums}.\n`].join('\n');
}
