import { secondsUntil } from '../../shared/time.ts';
import { GatewayError, insufficientScope, quotaRefusal } from '../../shared/http/errors.ts';
import { type Operation, ANSWER_LOST, type SimulatedCode } from '../../shared/request/operation.ts';
import { HEADERS } from '../../shared/names.ts';
import {
  admittedRequest,
  validInput,
  type Admitted,
  type GatewayMiddleware,
  type RequestState,
} from './request-state.ts';

/**
 * Answers a request with the refusal or the failure that it asks for. Nothing is executed or charged, and only its
 * event is stored. This runs after the replay of a stored success, and before the quota.
 *
 * `ANSWER_LOST`: the request is executed and charged as usual, and the answer is a 503. Of several requests at once
 * under one Idempotency-Key only the one that was charged gets it.
 *
 * @example
 *   middyChain(handler).use(simulation({ operation: ping })).use(metering({ operation: ping, ...dependencies }));
 */
export function simulation({
  operation,
}: {
  readonly operation: Operation;
}): GatewayMiddleware<'input' | 'receivedAtMs' | 'duplicate', 'admitted' | 'beforeCharge' | 'simulated'> {
  return {
    before: ({ context: { state } }) => {
      const { simulate } = validInput(state).input;
      if (simulate === undefined) return;
      const admitted = admittedRequest(state);
      if (simulate === ANSWER_LOST) {
        state.beforeCharge = { ...admitted };
        return;
      }
      const { limits, options } = answerOf(simulate, admitted, state.receivedAtMs, operation);
      state.admitted = limits;
      throw simulated(state, simulate, options);
    },
    after: ({ context: { state } }) => {
      if (state.beforeCharge === undefined || state.duplicate !== undefined) return;
      state.admitted = state.beforeCharge;
      throw simulated(state, 'SERVICE_UNAVAILABLE');
    },
  };
}

type Options = NonNullable<ConstructorParameters<typeof GatewayError>[1]>;

function simulated(state: Pick<RequestState, 'simulated'>, code: SimulatedCode, options?: Options): GatewayError {
  state.simulated = true;
  return new GatewayError(code, { ...options, headers: { [HEADERS.simulated]: 'true' } });
}

/** What the real answer of this code would be. `limits` are those of its headers; undefined: it has none. */
function answerOf(
  code: SimulatedCode,
  admitted: Admitted,
  nowMs: number,
  { requires }: Operation,
): { readonly limits: Admitted | undefined; readonly options?: Options } {
  const { rate, snapshot, period } = admitted;
  switch (code) {
    case 'API_KEY_REVOKED':
    case 'API_KEY_EXPIRED':
    case 'API_KEY_PAUSED':
    case 'PROJECT_SUSPENDED':
      return { limits: undefined };
    case 'INSUFFICIENT_SCOPE':
      return { limits: undefined, options: insufficientScope(requires.scope) };
    case 'RATE_LIMIT_EXCEEDED':
      return {
        limits: { ...admitted, rate: { ...rate, remaining: 0 } },
        options: { retryAfterSeconds: secondsUntil(rate.resetEpochSeconds, nowMs) },
      };
    case 'QUOTA_EXCEEDED':
      return {
        limits: { ...admitted, quotaUsed: snapshot.quotaLimit ?? admitted.quotaUsed },
        options: quotaRefusal(code, period, nowMs),
      };
    case 'KEY_QUOTA_EXCEEDED':
      return {
        limits: { ...admitted, capUsed: snapshot.cap?.limit ?? admitted.capUsed },
        options: quotaRefusal(code, snapshot.cap?.span ?? period, nowMs),
      };
    case 'IDEMPOTENCY_CONFLICT':
    case 'INTERNAL_ERROR':
    case 'SERVICE_UNAVAILABLE':
      return { limits: admitted };
  }
}
