import { styleText } from 'node:util';
import { HEADERS } from '../../functions/wiring.ts';
import type { SmokeKeys } from './arguments.ts';
import { checkAnswers } from './answers.ts';
import { checkRequests } from './checks.ts';
import { codeOf, header } from './expectations.ts';
import { startRun, type CheckResult, type Exchange } from './run.ts';

/** What to check, and with what. */
export interface SmokeTarget extends SmokeKeys {
  readonly baseUrl: string;
  /** A browser origin that must be allowed. */
  readonly origin: string | undefined;
}
/** What a run has found, and what it cost. */
export interface SmokeReport {
  readonly ok: boolean;
  readonly url: string;
  readonly checks: readonly CheckResult[];
  /** Requests with a key that its rate has counted; one without an answer is taken for counted. */
  readonly authenticatedRequests: number;
  /** Units of the quota; a ping without an answer is taken for charged. */
  readonly unitsCharged: number;
}

const SHOWN_AS = {
  ok: ['green', 'ok'],
  note: ['yellow', 'note'],
  fail: ['red', 'FAIL'],
  skip: ['dim', 'skip'],
} as const;
const LABEL_WIDTH = 4;

/**
 * Makes every check. A skipped one is no failure by itself: what it waited for has failed. Throws an error of one line
 * when nobody answers.
 */
export async function runSmoke({ baseUrl, origin, ...keys }: SmokeTarget): Promise<SmokeReport> {
  const run = startRun(baseUrl, keys);
  await checkRequests(run, origin, keys.exhaustedKey !== undefined);
  await checkAnswers(run);
  const ok = run.results.every(({ status }) => status !== 'fail');
  const withKey = run.exchanges.filter(({ caller }) => caller !== 'nobody');
  const unitsCharged = withKey.reduce((sum, exchange) => sum + unitsOf(exchange), 0);
  return {
    ok,
    url: baseUrl,
    checks: run.results,
    authenticatedRequests: withKey.filter(isCounted).length,
    unitsCharged,
  };
}

/** The report for people, in colours on a terminal. */
export function reportText({ ok, url, checks, authenticatedRequests, unitsCharged }: SmokeReport): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const row = ({ name, status, detail }: CheckResult): string => {
    const [colour, label] = SHOWN_AS[status];
    return `${styleText(colour, label.padEnd(LABEL_WIDTH))}  ${name.padEnd(width)}  ${detail}`;
  };
  const counted = (status: CheckResult['status']) => checks.filter((check) => check.status === status).length;
  return [
    `Checking ${url}`,
    '',
    ...checks.map(row),
    '',
    `Cost: ${plural(authenticatedRequests, 'authenticated request')} counted in the rate, ${plural(unitsCharged, 'unit')} charged.`,
    `${styleText(ok ? 'green' : 'red', ok ? 'PASSED' : 'FAILED')}: ${counted('ok')} ok, ${plural(counted('note'), 'note')}, ${counted('fail')} failed, ${counted('skip')} skipped.`,
    '',
  ].join('\n');
}

const plural = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** Refused before admission, or over the rate: the window's count stays as it is. */
const isCounted = ({ answer }: Exchange): boolean =>
  answer === undefined || !([401, 403].includes(answer.status) || codeOf(answer) === 'RATE_LIMIT_EXCEEDED');

function unitsOf({ units, answer }: Exchange): number {
  if (answer === undefined) return units;
  return answer.status === 200 && header(answer, HEADERS.idempotencyReplayed) !== 'true' ? 1 : 0;
}
