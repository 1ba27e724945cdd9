import {
  readCredentials,
  type KeyTagSecrets,
  API_KEY,
  authorizationFault,
  emptyFault,
} from '../../shared/credentials/api-key.ts';
import { secondsUntil, periodAt, type QuotaPeriod } from '../../shared/time.ts';
import type { KeyRefusalCode } from '../../shared/request/admission.ts';
import { GatewayError, insufficientScope, wrongMode } from '../../shared/http/errors.ts';
import { fulfilled } from '../../shared/fulfilled.ts';
import { countedCap, unitsUsed } from '../../shared/request/quota-shards.ts';
import type { RequestStore } from '../../shared/request/request-store.ts';
import type { Operation } from '../../shared/request/operation.ts';
import { METRICS } from '../../shared/names.ts';
import { idempotencyTag } from '../../shared/request/metered-request.ts';
import type { GatewayMiddleware } from './request-state.ts';
import type { Telemetry } from './request-context.ts';

export interface AuthDependencies {
  readonly operation: Operation;
  /** The secrets under which keys are tagged. */
  readonly keyTagSecrets: KeyTagSecrets;
  readonly store: Pick<RequestStore, 'admit' | 'readSnapshot' | 'readCapCounter'>;
  readonly quotaPeriod: QuotaPeriod;
  readonly telemetry: Pick<Telemetry, 'count'>;
}

/**
 * Authenticates the API key and enforces its rate limit. Both are one write, so a revocation is final for every request
 * that is sent after it. In parallel, in the same round trip, it reads what later middleware needs. A key with a wrong
 * shape, checksum or tag costs no round trip.
 *
 * @example
 *   middyChain(handler).use(auth({ operation: ping, keyTagSecrets, store, quotaPeriod: 'month', telemetry }));
 */
export function auth(
  dependencies: AuthDependencies,
): GatewayMiddleware<'receivedAtMs' | 'deadline' | 'input', 'caller' | 'admitted' | 'idempotencyTag'> {
  const { operation, keyTagSecrets, store, quotaPeriod, telemetry } = dependencies;
  return {
    before: async ({ event, context: { state } }) => {
      const { authorization, 'idempotency-key': idempotencyKey } = event.headers;
      const key = readCredentials(authorization, keyTagSecrets);
      if (key === 'missing') {
        throw new GatewayError('MISSING_API_KEY', authorization === undefined ? {} : { detail: emptyFault(API_KEY) });
      }
      if (key === 'invalid') {
        throw new GatewayError('INVALID_API_KEY', { detail: authorizationFault(authorization ?? '', API_KEY) });
      }

      const { projectId } = key;
      state.idempotencyTag =
        idempotencyKey === undefined ? null : idempotencyTag(keyTagSecrets, projectId, idempotencyKey);
      const { receivedAtMs: nowMs, deadline, input } = state;
      const period = periodAt(nowMs, quotaPeriod);
      const replayId = input instanceof GatewayError ? undefined : input?.replayKey?.id;
      // Both calls are awaited until they end. A call in flight would be frozen with the function, and fail in the next
      // request.
      const [admitting, reading] = await Promise.allSettled([
        store.admit(key.hash, operation.requires, nowMs, deadline),
        store.readSnapshot({ projectId, period, replayId, keyHash: key.hash, nowMs }, deadline),
      ]);

      const admission = fulfilled(admitting);
      if (admission.keyId !== undefined) state.caller = { projectId, keyId: admission.keyId };
      if (admission.outcome === 'refused') throw keyRefused(admission.code, operation);
      if (admission.outcome === 'admitted' && admission.clockBroken) telemetry.count(METRICS.rateWindowAheadOfClock);

      const snapshot = fulfilled(reading);
      if (!snapshot.active) throw new GatewayError('PROJECT_SUSPENDED');
      const { keyId, rate, cap: capOfKey } = admission;
      const { capCounter } = snapshot;
      const cap =
        capOfKey &&
        countedCap(
          capOfKey,
          // Another instance may have seen the key with another cap, or with one of another period.
          capCounter?.id === capOfKey.id
            ? capCounter
            : await store.readCapCounter({ projectId, period, capId: capOfKey.id, nowMs }, deadline),
        );
      state.admitted = {
        caller: { projectId, keyId },
        rate,
        period,
        snapshot: { ...snapshot, ...(cap && { cap }) },
        quotaUsed: unitsUsed(snapshot.counter),
        capUsed: cap?.units ?? 0,
      };
      if (admission.outcome === 'rateLimited') {
        throw new GatewayError('RATE_LIMIT_EXCEEDED', {
          retryAfterSeconds: secondsUntil(rate.resetEpochSeconds, nowMs),
        });
      }
    },
  };
}

function keyRefused(code: KeyRefusalCode, { requires }: Operation): GatewayError {
  if (code === 'INSUFFICIENT_SCOPE') return new GatewayError(code, insufficientScope(requires.scope));
  return new GatewayError(code, code === 'KEY_MODE_MISMATCH' ? wrongMode(requires.mode) : {});
}
