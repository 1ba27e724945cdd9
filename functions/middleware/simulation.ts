import { secondsUntil } from '../core/clock.ts';
import { GatewayError, insufficientScope } from '../core/errors.ts';
import type { Operation } from '../core/operation.ts';
import { ANSWER_LOST, type RehearsedCode } from '../core/simulation.ts';
import { HEADERS } from '../wiring.ts';
import {
  admittedRequest,
  checkedInput,
  type Admitted,
  type GatewayMiddleware,
  type RequestState,
} from './request-state.ts';

/**
 * Answers a request that asks for a refusal or a failure with just that. Nothing is executed, charged or stored for it
 * but its event. It runs after the replay of a stored success, and before the quota.
 *
 * A request whose answer is to be lost is executed and charged as ever. Of several at once under one Idempotency-Key
 * only the one that was charged has an answer to lose.
 */
export function simulation({ operation }: { readonly operation: Operation }): GatewayMiddleware {
  return {
    before: ({ context: { state } }) => {
      const { simulate } = checkedInput(state).input;
      if (simulate === undefined) return;
      const admitted = admittedRequest(state);
      if (simulate === ANSWER_LOST) {
        state.beforeCharge = { ...admitted };
        return;
      }
      const { told, options } = rehearsal(simulate, admitted, state.receivedAtMs, operation);
      state.admitted = told;
      throw rehearsed(state, simulate, options);
    },
    after: ({ context: { state } }) => {
      if (state.beforeCharge === undefined || state.duplicate !== undefined) return;
      state.admitted = state.beforeCharge;
      throw rehearsed(state, 'SERVICE_UNAVAILABLE');
    },
  };
}

type Options = NonNullable<ConstructorParameters<typeof GatewayError>[1]>;

function rehearsed(state: RequestState, code: RehearsedCode, options?: Options): GatewayError {
  state.simulated = true;
  return new GatewayError(code, { ...options, headers: { [HEADERS.simulated]: 'true' } });
}

/** What is the real refusal's own: the limits that its headers tell, undefined for none, and what its problem says. */
function rehearsal(
  code: RehearsedCode,
  admitted: Admitted,
  nowMs: number,
  { requires }: Operation,
): { readonly told: Admitted | undefined; readonly options?: Options } {
  const { rate, snapshot, period } = admitted;
  switch (code) {
    case 'API_KEY_REVOKED':
    case 'API_KEY_EXPIRED':
    case 'PROJECT_SUSPENDED':
      return { told: undefined };
    case 'INSUFFICIENT_SCOPE':
      return { told: undefined, options: insufficientScope(requires.scope) };
    case 'RATE_LIMIT_EXCEEDED':
      return {
        told: { ...admitted, rate: { ...rate, remaining: 0 } },
        options: { retryAfterSeconds: secondsUntil(rate.resetEpochSeconds, nowMs) },
      };
    case 'QUOTA_EXCEEDED':
      return {
        told: { ...admitted, quotaUsed: snapshot.quotaLimit ?? admitted.quotaUsed },
        options: { retryAfterSeconds: secondsUntil(period.endsAtEpochSeconds, nowMs) },
      };
    case 'KEY_QUOTA_EXCEEDED':
      return {
        told: { ...admitted, capUsed: snapshot.cap?.limit ?? admitted.capUsed },
        options: { retryAfterSeconds: secondsUntil(period.endsAtEpochSeconds, nowMs) },
      };
    case 'IDEMPOTENCY_CONFLICT':
    case 'INTERNAL_ERROR':
    case 'SERVICE_UNAVAILABLE':
      return { told: admitted };
  }
}
