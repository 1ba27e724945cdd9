/** A process of its own, whose log goes nowhere: measures what one ping costs it, and sends that to its parent. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createClient, documentClient } from '../../functions/store/client.ts';
import { dynamoDbRequestStore } from '../../functions/ledger/dynamodb-request-store.ts';
import { DEFAULT_USAGE_RETENTION_DAYS } from '../../functions/wiring.ts';
import { meteredChain } from '../../functions/metered/chain.ts';
import { chainDependencies } from '../../functions/runtime.ts';
import type { GatewayContext } from '../../functions/middleware/request-state.ts';
import type { Telemetry } from '../../functions/middleware/telemetry.ts';
import { system } from '../../functions/system.ts';
import { LOCAL_KEY_TAG_SECRETS, LOCAL_TABLES } from '../../local/settings.ts';
import { makeCalls } from '../bare/calls.ts';
import { recordCalls } from '../bare/recording.ts';
import { onFreshEngine } from '../engine.ts';
import { pingEvent } from '../request.ts';
import { AMPLE, gatewaySubject } from '../subject.ts';
import { allocatedBytes, profile, type HotFunction } from './profiling.ts';
import { recordAnswers, stubbedTransport } from './stub.ts';

/** What is measured: the calls by the SDK as it comes and by the gateway's client, the chain, and it with its log. */
export const VARIANTS = ['bare', 'tuned', 'chain', 'logged'] as const;
export type Variant = (typeof VARIANTS)[number];
type PerVariant<T> = Readonly<Record<Variant, T>>;

export interface CpuFindings {
  /** CPU time of one request, one sample a round; the variants took turns. */
  readonly cpuUs: PerVariant<number[]>;
  readonly allocatedBytes: PerVariant<number[]>;
  readonly profiledRequests: number;
  readonly hot: HotFunction[];
}

/** Requests until V8 has optimised what it will. */
const WARM_UP_REQUESTS = 4_000;
const REQUESTS_PER_ROUND = 1_000;
const SILENT: Telemetry = { request: () => undefined, warn: () => undefined, count: () => undefined };

async function measure(rounds: number): Promise<CpuFindings> {
  const variants = await onFreshEngine(async ({ client: operator, address }) => {
    const live = createClient(address);
    const gateway = gatewaySubject({ operator, client: live });
    const key = await gateway.createTenant(AMPLE);
    const answers = recordAnswers(live);
    const ping = async (): Promise<void> => {
      const { statusCode } = await gateway.handle(pingEvent({ key, idempotencyKey: 'order-7' }));
      if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
    };
    const calls = await recordCalls(live, ping);
    live.destroy();

    const stubbed = { ...address, requestHandler: stubbedTransport(answers) };
    const client = documentClient(createClient(stubbed));
    const plainClient = documentClient(new DynamoDBClient(stubbed));
    const store = dynamoDbRequestStore({
      ...{ client, tables: LOCAL_TABLES, usageRetentionDays: DEFAULT_USAGE_RETENTION_DAYS },
      ...system,
    });
    const chain = (telemetry: Telemetry) => {
      const handler = meteredChain({
        ...chainDependencies(),
        telemetry,
        quotaPeriod: 'month',
        keyTagSecrets: LOCAL_KEY_TAG_SECRETS,
        store,
      });
      return async () => {
        const event = pingEvent({ key, idempotencyKey: 'order-7' });
        const { statusCode } = await handler(event, {} as GatewayContext);
        if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
      };
    };
    return {
      bare: () => makeCalls(plainClient, calls),
      tuned: () => makeCalls(client, calls),
      chain: chain(SILENT),
      logged: chain(chainDependencies().telemetry),
    } satisfies PerVariant<() => Promise<void>>;
  });

  const serve = async (variant: Variant, requests: number): Promise<void> => {
    for (let served = 0; served < requests; served++) await variants[variant]();
  };
  for (const variant of VARIANTS) await serve(variant, WARM_UP_REQUESTS);

  const cpuUs: PerVariant<number[]> = { bare: [], tuned: [], chain: [], logged: [] };
  const allocated: PerVariant<number[]> = { bare: [], tuned: [], chain: [], logged: [] };
  for (let round = 0; round < rounds; round++) {
    for (const variant of VARIANTS) {
      const before = process.cpuUsage();
      await serve(variant, REQUESTS_PER_ROUND);
      const { user, system: kernel } = process.cpuUsage(before);
      cpuUs[variant].push((user + kernel) / REQUESTS_PER_ROUND);
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (const variant of VARIANTS) {
      const bytes = await allocatedBytes(() => serve(variant, REQUESTS_PER_ROUND));
      allocated[variant].push(bytes / REQUESTS_PER_ROUND);
    }
  }
  const profiledRequests = rounds * REQUESTS_PER_ROUND;
  const hot = await profile(() => serve('logged', profiledRequests));
  return { cpuUs, allocatedBytes: allocated, profiledRequests, hot };
}

if (process.send) process.send(await measure(Number(process.argv[2])));
