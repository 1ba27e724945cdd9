import { HEADERS } from '../../functions/wiring.ts';
import { Deviation, Skipped, type Answered, type Check, type Exchange } from './check.ts';
import { deviation, expectDocumented, expectValue, header, membersOf } from './expectations.ts';
import type { Answer } from './http-client.ts';
import { quotaOf, rateOf, type Limit } from './limits.ts';

/** Every answer has a request id of its own, the same in header and body. */
const requestIds: Check = {
  name: 'request ids',
  run: ({ relied }) => {
    const seen = new Set<string | undefined>();
    lookAt(relied(), (answer) => {
      expectDocumented(answer, HEADERS.requestId);
      const requestId = header(answer, HEADERS.requestId);
      if (answer.text !== '') expectValue('body.requestId', requestId, membersOf(answer).requestId);
      if (seen.has(requestId)) throw deviation(HEADERS.requestId, 'a new one', requestId);
      seen.add(requestId);
    });
    return `${seen.size} answers, each with its own`;
  },
};

/** No answer may be kept by a cache. */
const noCaching: Check = {
  name: 'no caching',
  run: ({ relied }) => {
    lookAt(relied(), (answer) => expectDocumented(answer, 'Cache-Control'));
    return 'Cache-Control: no-store on all of them';
  },
};

/** That every answer to an authenticated request says what is left of a limit, and that it falls as it should. */
function limitChecks(
  name: 'rate' | 'quota',
  limitOf: (answer: Answer) => Limit | undefined,
  costOf: (check: Check) => number,
  words: { readonly per: string; readonly falls: string },
): Check[] {
  const headers: Check = {
    name: `${name} headers`,
    run: ({ relied }) => {
      const sent = relied().filter(({ caller }) => caller !== 'nobody');
      if (sent.length === 0) throw new Skipped('no request with the key was answered as expected');
      const limits = lookAt(sent, limitOf);
      const bare = sent.find((_, index) => limits[index] === undefined);
      if (!bare) return `on ${limits.length} answers, ${limits[0]?.limit} ${words.per}`;
      const enforced = sent.find(({ caller }, index) => caller === bare.caller && limits[index] !== undefined);
      if (!enforced) return { note: `none: no ${name} is enforced for the key's project` };
      throw deviation(bare.check.name, `${name} headers as on "${enforced.check.name}"`, undefined);
    },
  };
  const count: Check = {
    name: `${name} count`,
    needs: [headers],
    run: ({ exchanges, relied }) => {
      const passed = new Set<Exchange>(relied());
      const sent = exchanges.filter(({ caller }) => caller === 'key');
      const limits = sent.map((exchange) => exchange.answer && passed.has(exchange) && limitOf(exchange.answer));
      const compared = sent.filter(({ check }, index) => {
        const [before, after] = [limits[index - 1], limits[index]];
        // A new window or period may begin at any time.
        if (!before || !after || before.resetEpochSeconds !== after.resetEpochSeconds) return false;
        expectValue(`${check.name}: ${after.remainingName}`, before.remaining - costOf(check), after.remaining);
        return true;
      });
      if (compared.length === 0) throw new Skipped('there are no two answers to compare');
      return words.falls;
    },
  };
  return [headers, count];
}

/** The checks that look at all answers: a rate counts every authenticated request, a quota only what a success costs. */
export const answerChecks: readonly Check[] = [
  ...limitChecks('rate', rateOf, () => 1, { per: 'a minute', falls: 'falls by one a request' }),
  ...limitChecks('quota', quotaOf, ({ units = 0 }) => units, {
    per: 'units',
    falls: 'falls by one for the success, and for nothing else',
  }),
  requestIds,
  noCaching,
];

/** Looks at answers that other checks had asked for: a deviation then begins with that check's name. */
const lookAt = <T>(sent: readonly Answered[], look: (answer: Answer) => T): T[] =>
  sent.map(({ check, answer }) => {
    try {
      return look(answer);
    } catch (error) {
      throw error instanceof Deviation ? new Deviation(`${check.name}: ${error.message}`) : error;
    }
  });
