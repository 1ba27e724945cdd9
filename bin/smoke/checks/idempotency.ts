import { HEADERS } from '../../../functions/wiring.ts';
import { system } from '../../../functions/system.ts';
import type { Check } from '../check.ts';
import { deviation, expectHeader, expectProblem, expectSuccess, header, membersOf, shown } from '../expectations.ts';
import type { SmokeRequest } from '../http-client.ts';
import { pingRequest } from '../ping-request.ts';

const PONG = { ok: true, mode: 'sandbox', message: 'Sandbox gateway is ready.' };

/** The checks of one Idempotency-Key: a success, its replay, a conflict. Only the success is charged. */
export function idempotencyChecks(): [ping: Check, replay: Check, conflict: Check] {
  const headers = { 'Idempotency-Key': `smoke-${system.newId()}` };
  const withBody = (body: string): SmokeRequest => pingRequest(body, headers);

  const ping: Check = {
    name: 'ping',
    run: async ({ sendWithKey }) => {
      const answer = await sendWithKey(withBody('{"clientRequestId":"smoke"}'), 1);
      expectSuccess(answer, PONG);
      const replayed = header(answer, HEADERS.idempotencyReplayed);
      if (replayed !== undefined) throw deviation(HEADERS.idempotencyReplayed, 'none', shown(replayed));
      return '200, charged one unit';
    },
  };

  const replay: Check = {
    name: 'replay',
    needs: [ping],
    run: async ({ sendWithKey, answerTo }) => {
      // The same JSON, spelled otherwise.
      const answer = await sendWithKey(withBody('{ "clientRequestId" : "smok\\u0065" }'));
      expectSuccess(answer, PONG);
      expectHeader(answer, HEADERS.idempotencyReplayed, 'true');
      const { requestId } = membersOf(answer.body);
      if (requestId === membersOf(answerTo(ping).body).requestId) {
        throw deviation('body.requestId', 'a new one', 'that of the first response');
      }
      return '200, replayed under a new requestId';
    },
  };

  const conflict: Check = {
    name: 'conflict',
    needs: [ping],
    run: async ({ sendWithKey }) => {
      expectProblem(await sendWithKey(withBody('{"clientRequestId":"another"}')), 'IDEMPOTENCY_CONFLICT');
      return '409 IDEMPOTENCY_CONFLICT';
    },
  };
  return [ping, replay, conflict];
}
