import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { PING_PATH } from '../../functions/operations/ping.ts';
import { HEALTH_PATH } from '../../functions/wiring.ts';
import { generateProjectId } from '../../functions/core/api-key.ts';
import { revokeKey } from '../../functions/accounts/api-keys.ts';
import type { AccountStore } from '../../functions/accounts/account-store.ts';
import { verdict } from '../support/crowd.ts';
import { tenant } from '../support/gateway.ts';
import { unknownKey } from '../support/keys.ts';
import type { WireAnswer, WireRequest } from '../support/http-client.ts';
import { expectLimits, MAX_LIMIT, windowCounter, type Limits } from './traffic-checks.ts';

/** One request of the traffic with its expected answer. */
export interface Exchange {
  readonly request: WireRequest;
  /** Throws for a wrong answer. */
  readonly check: (answer: WireAnswer) => void;
}

/** A kind of request. */
interface Kind {
  /** The number of requests of this kind in a hundred. */
  readonly percent: number;
  readonly next: () => Exchange;
}

export interface Traffic {
  readonly kinds: Readonly<Record<string, Kind>>;
  /** The kind of each request, in an order that repeats. */
  readonly schedule: readonly string[];
  /** The project whose events are all counted. */
  readonly countedProjects: readonly string[];
  /** The project whose refusals are stored once a minute. */
  readonly otherProjects: readonly string[];
}

const SLOW_RPM = 120;
/** The number of newest requests that later ones replay or conflict with. */
const REMEMBERED = 1_000;

/** The traffic of a sandbox on its own projects. The seed decides the order of its kinds. */
export async function mixedTraffic(store: AccountStore, seed: number): Promise<Traffic> {
  const busy = await tenant({ store }, { rpm: MAX_LIMIT, quotaLimit: MAX_LIMIT });
  const slow = await tenant({ store }, { rpm: SLOW_RPM, quotaLimit: undefined });
  const empty = await tenant({ store }, { rpm: MAX_LIMIT, quotaLimit: 0 });
  const revoked = await tenant({ store });
  await revokeKey(store, revoked.projectId, revoked.keyId);
  const neverMade = unknownKey(generateProjectId(randomBytes));

  const remembered: { readonly idempotencyKey: string; readonly label: string; readonly requestId: unknown }[] = [];
  let added = 0;
  let taken = 0;
  const oneRemembered = () => {
    const one = remembered[taken++ % remembered.length];
    assert.ok(one, 'nothing to replay yet: send a first');
    return one;
  };
  const countWindow = windowCounter(SLOW_RPM);
  const isVerdict = (expected: string) => (answer: WireAnswer) => assert.equal(verdict(answer), expected);
  const admitted = (expected: string, limits: Limits = { rpm: MAX_LIMIT, quota: MAX_LIMIT }) => {
    const check = isVerdict(expected);
    return (answer: WireAnswer) => {
      check(answer);
      expectLimits(answer, limits);
    };
  };

  const kinds: Traffic['kinds'] = {
    ping: { percent: 25, next: () => ({ request: ping(busy.key), check: admitted('executed') }) },
    first: {
      percent: 20,
      next: () => {
        const [idempotencyKey, label] = [randomUUID(), randomUUID()];
        return {
          request: ping(busy.key, label, idempotencyKey),
          check: (answer) => {
            admitted('executed')(answer);
            remembered[added++ % REMEMBERED] = { idempotencyKey, label, requestId: answer.body.requestId };
          },
        };
      },
    },
    replay: {
      percent: 20,
      next: () => {
        const { idempotencyKey, label, requestId } = oneRemembered();
        return {
          request: ping(busy.key, label, idempotencyKey),
          check: (answer) => {
            admitted('replayed')(answer);
            assert.notEqual(answer.body.requestId, requestId);
          },
        };
      },
    },
    conflict: {
      percent: 8,
      next: () => ({
        request: ping(busy.key, 'another', oneRemembered().idempotencyKey),
        check: admitted('IDEMPOTENCY_CONFLICT'),
      }),
    },
    rateLimited: {
      percent: 8,
      next: () => ({
        request: ping(slow.key),
        check: (answer) => {
          admitted(answer.status === 200 ? 'executed' : 'RATE_LIMIT_EXCEEDED', { rpm: SLOW_RPM, quota: undefined })(
            answer,
          );
          countWindow(answer);
        },
      }),
    },
    quotaUsedUp: {
      percent: 5,
      next: () => ({ request: ping(empty.key), check: admitted('QUOTA_EXCEEDED', { rpm: MAX_LIMIT, quota: 0 }) }),
    },
    badBody: {
      percent: 4,
      next: () => ({ request: { ...ping(busy.key), body: '{"a":' }, check: admitted('INVALID_REQUEST') }),
    },
    unknownKey: { percent: 3, next: () => ({ request: ping(neverMade), check: isVerdict('INVALID_API_KEY') }) },
    revokedKey: { percent: 2, next: () => ({ request: ping(revoked.key), check: isVerdict('API_KEY_REVOKED') }) },
    health: {
      percent: 3,
      next: () => ({
        request: { method: 'GET', path: HEALTH_PATH },
        check: ({ status, body }) => assert.deepEqual([status, body.status], [200, 'available']),
      }),
    },
    unknownPath: {
      percent: 2,
      next: () => ({ request: { method: 'GET', path: '/nowhere' }, check: isVerdict('NOT_FOUND') }),
    },
  };
  const slots = Object.entries(kinds).flatMap(([name, { percent }]) => Array<string>(percent).fill(name));
  const whole = { minLength: slots.length, maxLength: slots.length };
  const [schedule = slots] = fc.sample(fc.shuffledSubarray(slots, whole), { seed, numRuns: 1 });
  return {
    kinds,
    schedule,
    countedProjects: [busy.projectId, slow.projectId, empty.projectId],
    otherProjects: [revoked.projectId],
  };
}

const ping = (key: string, clientRequestId = 'load', idempotencyKey?: string): WireRequest => ({
  method: 'POST',
  path: PING_PATH,
  headers: {
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  },
  body: JSON.stringify({ clientRequestId }),
});
