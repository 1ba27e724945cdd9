import { HEADERS } from '../../functions/wiring.ts';
import { Deviation, deviation, expectDocumented, expectValue, header, membersOf, Skipped } from './expectations.ts';
import type { Answer } from './http-client.ts';
import { quotaOf, rateOf, type Limit } from './limits.ts';
import type { Answered, Exchange, Run } from './run.ts';

/** Makes the checks that look at all answers of a run. */
export async function checkAnswers(run: Run): Promise<void> {
  // A rate counts every authenticated request, whatever becomes of it; a quota a success alone.
  await checkLimit(run, 'rate', rateOf, () => 1, ['a minute', 'falls by one a request']);
  const falls = 'falls by one for the success, and for nothing else';
  await checkLimit(run, 'quota', quotaOf, ({ units }) => units, ['units', falls]);

  await run.check('request ids', () => {
    const seen = new Set<string | undefined>();
    lookAt(run.relied(), (answer) => {
      expectDocumented(answer, HEADERS.requestId);
      const requestId = header(answer, HEADERS.requestId);
      if (answer.text !== '') expectValue('body.requestId', requestId, membersOf(answer).requestId);
      if (seen.has(requestId)) throw deviation(HEADERS.requestId, 'a new one', requestId);
      seen.add(requestId);
    });
    return `${seen.size} answers, each with its own`;
  });
  await run.check('no caching', () => {
    lookAt(run.relied(), (answer) => expectDocumented(answer, 'Cache-Control'));
    return 'Cache-Control: no-store on all of them';
  });
}

/** Every answer to an authenticated request says what is left, and that falls by what the request costs. */
async function checkLimit(
  { check, relied, exchanges }: Run,
  name: 'rate' | 'quota',
  limitOf: (answer: Answer) => Limit | undefined,
  costOf: (exchange: Exchange) => number,
  [per, falls]: readonly [per: string, falls: string],
): Promise<void> {
  await check(`${name} headers`, () => {
    const sent = relied().filter(({ caller }) => caller !== 'nobody');
    if (sent.length === 0) throw new Skipped('no request with the key was answered as expected');
    const limits = lookAt(sent, limitOf);
    const bare = sent.find((_, index) => limits[index] === undefined);
    if (!bare) return `on ${limits.length} answers, ${limits[0]?.limit} ${per}`;
    const enforced = sent.find(({ caller }, index) => caller === bare.caller && limits[index] !== undefined);
    if (!enforced) return { note: `none: no ${name} is enforced for the key's project` };
    throw deviation(bare.check, `${name} headers as on "${enforced.check}"`, undefined);
  });
  const compare = (): string => {
    const passed = new Set<Exchange>(relied());
    const sent = exchanges.filter(({ caller }) => caller === 'key');
    const limits = sent.map((exchange) => exchange.answer && passed.has(exchange) && limitOf(exchange.answer));
    const compared = sent.filter((exchange, index) => {
      const [before, after] = [limits[index - 1], limits[index]];
      // A new window or period may begin at any time.
      if (!before || !after || before.resetEpochSeconds !== after.resetEpochSeconds) return false;
      expectValue(`${exchange.check}: ${after.remainingName}`, before.remaining - costOf(exchange), after.remaining);
      return true;
    });
    if (compared.length === 0) throw new Skipped('there are no two answers to compare');
    return falls;
  };
  await check(`${name} count`, compare, `${name} headers`);
}

/** Looks at answers that checks had asked for: a deviation then begins with the check's name. */
const lookAt = <T>(sent: readonly Answered[], look: (answer: Answer) => T): T[] =>
  sent.map(({ check, answer }) => {
    try {
      return look(answer);
    } catch (error) {
      throw error instanceof Deviation ? new Deviation(`${check}: ${error.message}`) : error;
    }
  });
