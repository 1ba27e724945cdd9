import { HEADERS } from '../../../functions/wiring.ts';
import { Skipped, type Check, type CheckContext, type Exchange } from '../check.ts';
import { deviation } from '../expectations.ts';
import type { Answer } from '../http-client.ts';
import { quotaOf, rateOf, type Limit } from '../limits.ts';
import { naming } from '../naming.ts';

/** Every answer to an authenticated request says what is left of the rate. */
export const rateHeaders: Check = {
  name: 'rate headers',
  run: (context) => {
    const limits = authenticated(context).map(({ check, answer }) => naming(check, () => rateOf(answer)));
    return `on ${limits.length} answers, ${limits[0]?.limit} a minute`;
  },
};

/** … and of the quota, where one is enforced: then every answer does, refusals and replays included. */
export const quotaHeaders: Check = {
  name: 'quota headers',
  run: (context) => {
    const quotas = authenticated(context).map(({ check, caller, answer }) => ({
      check,
      caller,
      quota: naming(check, () => quotaOf(answer)),
    }));
    const bare = quotas.find(({ quota }) => quota === undefined);
    const enforced = quotas.find(({ caller, quota }) => caller === bare?.caller && quota !== undefined);
    if (bare && enforced) throw deviation(bare.check.name, `quota headers as on "${enforced.check.name}"`, 'none');
    if (bare) return { note: "none: no quota is enforced for the key's project" };
    return `on ${quotas.length} answers, ${quotas[0]?.quota?.limit} units`;
  },
};

/** Every authenticated request counts once in the rate, whatever becomes of it. */
export const rateCount: Check = {
  name: 'rate count',
  needs: [rateHeaders],
  run: (context) => {
    const pairs = compared(context, rateOf);
    for (const { after, before, limit } of pairs) {
      expectRemaining(HEADERS.rateRemaining, after, before.remaining - 1, limit);
    }
    return `falls by one a request`;
  },
};

/** A success takes one unit; refusals and replays take none. */
export const quotaCount: Check = {
  name: 'quota count',
  needs: [quotaHeaders],
  run: (context) => {
    for (const { after, before, limit } of compared(context, quotaOf)) {
      expectRemaining(HEADERS.quotaRemaining, after, before.remaining - after.units, limit);
    }
    return 'falls by one for the success, and for nothing else';
  },
};

type Answered = Exchange & { readonly answer: Answer };

/** Exchanges in which a key was accepted and the answer was the expected one. */
function authenticated({ exchanges, hasPassed }: CheckContext): Answered[] {
  const answered = exchanges.filter(
    (exchange): exchange is Answered =>
      exchange.caller !== 'nobody' && exchange.answer !== undefined && hasPassed(exchange.check),
  );
  if (answered.length === 0) throw new Skipped('no request with the key was answered as expected');
  return answered;
}

interface Comparison {
  readonly before: Limit;
  readonly after: Exchange;
  readonly limit: Limit;
}

/** Neighbouring exchanges with the key whose limits can be compared: a new window or period may begin at any time. */
function compared(context: CheckContext, read: (answer: Answer) => Limit | undefined): Comparison[] {
  const sent = context.exchanges.filter(({ caller }) => caller === 'key');
  const limits = sent.map(({ check, answer }) =>
    answer !== undefined && context.hasPassed(check) ? read(answer) : undefined,
  );
  const comparisons = sent.flatMap((after, index) => {
    const [before, limit] = [limits[index - 1], limits[index]];
    return limit && before?.resetEpochSeconds === limit.resetEpochSeconds ? [{ before, after, limit }] : [];
  });
  if (comparisons.length === 0) throw new Skipped('there are no two answers to compare');
  return comparisons;
}

function expectRemaining(name: string, { check }: Exchange, expected: number, { remaining }: Limit): void {
  if (remaining !== expected) throw deviation(`${check.name}: ${name}`, String(expected), String(remaining));
}
