import { UpdateItemCommand, type DynamoDBClient, type UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { RateLimiterDynamo, RateLimiterRes } from 'rate-limiter-flexible';
import { keyRefusal } from '../../functions/shared/request/admission.ts';
import { readCredentials } from '../../functions/shared/credentials/api-key.ts';
import { MS_PER_MINUTE, MS_PER_SECOND, periodAt } from '../../functions/shared/time.ts';
import { GatewayError, StoreUnavailableError } from '../../functions/shared/http/errors.ts';
import { SANDBOX_ACCESS } from '../../functions/shared/request/operation.ts';
import type { MeteredDependencies } from '../../functions/gateway/metered-chain.ts';
import type { GatewayMiddleware, RequestState } from '../../functions/gateway/middleware/request-state.ts';
import { documentClient } from '../../functions/shared/store/client.ts';
import { PEER_TABLES, peerStore, type PeerKey } from './store.ts';

export interface PeerDependencies extends Omit<MeteredDependencies, 'store' | 'operations'> {
  /** The client that all parts share, with the gateway's settings. */
  readonly client: DynamoDBClient;
}

/** The state of a request: the gateway's, and what the peer adds. */
export type PeerState = RequestState & { key?: PeerKey };

const UNREAD = { quotaLimit: undefined, shards: 1, counter: { units: 0, shards: [] } };

/** Authenticates the API key by a consistent read, then applies its rate limit. */
export function peerAdmission({
  client,
  keyTagSecrets,
  quotaPeriod,
}: PeerDependencies): GatewayMiddleware<'receivedAtMs' | 'deadline', 'caller' | 'admitted'> {
  const limiters = rateLimiters(client);
  const { readKey } = peerStore(documentClient(client));
  return {
    before: async ({ event, context }) => {
      const state: Pick<PeerState, 'receivedAtMs' | 'deadline' | 'caller' | 'admitted' | 'key'> = context.state;
      const parsed = readCredentials(event.headers.authorization, keyTagSecrets);
      if (parsed === 'missing') throw new GatewayError('MISSING_API_KEY');
      if (parsed === 'invalid') throw new GatewayError('INVALID_API_KEY');

      const key = await readKey(parsed.hash, state.deadline);
      const refusal = keyRefusal(key, SANDBOX_ACCESS, state.receivedAtMs);
      if (refusal !== undefined || key === undefined) throw new GatewayError(refusal ?? 'INVALID_API_KEY');
      state.key = key;
      const caller = { projectId: key.projectId, keyId: key.keyId };
      state.caller = caller;

      const { limited, outcome } = await consume(limiters(key.rpm), key.keyId);
      state.admitted = {
        caller,
        rate: {
          limit: key.rpm,
          remaining: Math.max(0, outcome.remainingPoints),
          resetEpochSeconds: Math.ceil((state.receivedAtMs + outcome.msBeforeNext) / MS_PER_SECOND),
        },
        period: periodAt(state.receivedAtMs, quotaPeriod),
        // The quota is not read before it is charged, so that replays and refusals have no quota headers.
        snapshot: { active: true, ...UNREAD, replay: undefined },
        quotaUsed: 0,
        capUsed: 0,
      };
      if (limited) {
        const retryAfterSeconds = Math.max(1, Math.ceil(outcome.msBeforeNext / MS_PER_SECOND));
        throw new GatewayError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds });
      }
    },
  };
}

/** One limiter for each limit, because the limit is an option of the limiter and not of a key. */
function rateLimiters(client: DynamoDBClient): (rpm: number) => RateLimiterDynamo {
  const limiters = new Map<number, RateLimiterDynamo>();
  // The library wants the SDK's aggregated client. This is the one method of it that `consume` calls, over the client
  // with the settings and the connections that everything else here uses.
  const storeClient = { updateItem: (input: UpdateItemCommandInput) => client.send(new UpdateItemCommand(input)) };
  const fixed = { storeClient, tableName: PEER_TABLES.rate, tableCreated: true, ttlSet: true };
  return (rpm) => {
    // Its page on DynamoDB recommends to block in memory, so that requests beyond the limit cost nothing.
    const limit = { points: rpm, duration: MS_PER_MINUTE / MS_PER_SECOND, inMemoryBlockOnConsumed: rpm + 1 };
    const limiter = limiters.get(rpm) ?? new RateLimiterDynamo({ ...fixed, ...limit });
    limiters.set(rpm, limiter);
    return limiter;
  };
}

/**
 * What the library says of a request. It rejects with its result beyond the limit, and with an error without its store.
 */
async function consume(
  limiter: RateLimiterDynamo,
  keyId: string,
): Promise<{ limited: boolean; outcome: RateLimiterRes }> {
  try {
    return { limited: false, outcome: await limiter.consume(keyId) };
  } catch (error) {
    if (error instanceof RateLimiterRes) return { limited: true, outcome: error };
    throw new StoreUnavailableError('the rate limiter did not answer', error);
  }
}
