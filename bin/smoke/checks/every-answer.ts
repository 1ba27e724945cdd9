import { HEADERS } from '../../../functions/wiring.ts';
import type { Check, CheckContext } from '../check.ts';
import { deviation, expectHeader, expectValue, header, membersOf, UUID } from '../expectations.ts';
import { naming } from '../naming.ts';

/** Every answer has a request id of its own, the same in header and body. */
export const requestIds: Check = {
  name: 'request ids',
  run: (context) => {
    const seen = new Set<string | undefined>();
    for (const { check, answer } of relied(context)) {
      naming(check, () => {
        expectHeader(answer, HEADERS.requestId, UUID);
        const requestId = header(answer, HEADERS.requestId);
        if (answer.text !== '') expectValue('body.requestId', requestId ?? '', membersOf(answer.body).requestId);
        if (seen.has(requestId)) throw deviation(HEADERS.requestId, 'a new one', 'that of an earlier answer');
        seen.add(requestId);
      });
    }
    return `${seen.size} answers, each with its own`;
  },
};

/** No answer may be kept by a cache. */
export const noCaching: Check = {
  name: 'no caching',
  run: (context) => {
    for (const { check, answer } of relied(context)) {
      naming(check, () => expectHeader(answer, 'Cache-Control', 'no-store'));
    }
    return 'Cache-Control: no-store on all of them';
  },
};

/** Answers of checks that have passed: what is wrong with another was told there. */
const relied = ({ exchanges, hasPassed }: CheckContext) =>
  exchanges.flatMap(({ check, answer }) => (answer !== undefined && hasPassed(check) ? [{ check, answer }] : []));
