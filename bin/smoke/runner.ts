import { Deviation, Skipped, type Check, type CheckContext, type CheckResult } from './check.ts';
import { NoAnswerError } from './http-client.ts';
import type { Session } from './session.ts';

/**
 * Runs checks one after another. The first tells whether the gateway is there at all: without it no other is made, so
 * that the key is not sent to something else. Throws an error of one line when nobody answers the first.
 */
export async function runChecks(
  [first, ...others]: readonly [Check, ...Check[]],
  session: Session,
): Promise<CheckResult[]> {
  const passed = new Set<Check>();
  const results: CheckResult[] = [];
  for (const check of [first, ...others]) {
    const missing = check === first ? undefined : [first, ...(check.needs ?? [])].find((other) => !passed.has(other));
    const result = missing
      ? ({ name: check.name, status: 'skip', detail: `needs "${missing.name}"` } as const)
      : await attempt(check, session.contextFor(check, passed), check === first);
    if (result.status === 'ok' || result.status === 'note') passed.add(check);
    results.push(result);
  }
  return results;
}

async function attempt({ name, run }: Check, context: CheckContext, isFirst: boolean): Promise<CheckResult> {
  try {
    const finding = await run(context);
    return typeof finding === 'string'
      ? { name, status: 'ok', detail: finding }
      : { name, status: 'note', detail: finding.note };
  } catch (error) {
    if (error instanceof Skipped) return { name, status: 'skip', detail: error.message };
    if (error instanceof Deviation) return { name, status: 'fail', detail: error.message };
    if (!(error instanceof NoAnswerError)) throw error;
    if (isFirst) throw new Error(`The service cannot be reached (${error.message}).`, { cause: error });
    return { name, status: 'fail', detail: `expected an answer, got none (${error.message})` };
  }
}
