/** Measures in this process, whose log goes nowhere, what one ping costs it. Usage: node process.ts ROUNDS */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { chainDependencies } from '../../functions/runtime.ts';
import { createClient, documentClient } from '../../functions/store/client.ts';
import { makeCalls, recordCalls } from '../bare/calls.ts';
import { PATHS, serveOn } from '../paths.ts';
import { inTurns } from '../statistics.ts';
import { AMPLE, gatewaySubject, withSubjects, type Subject } from '../subject.ts';
import { allocatedBytes, profile, type HotFunction } from './profiling.ts';

/** What was measured of one request in turns, for each variant: one sample a round. */
export interface CpuFindings {
  readonly cpuUs: readonly number[][];
  readonly allocatedBytes: readonly number[][];
  readonly profiledRequests: number;
  readonly hot: readonly HotFunction[];
}

/** Requests until V8 has optimised what it will. */
const WARM_UP_REQUESTS = 4_000;
const REQUESTS_PER_ROUND = 1_000;

interface HttpRequest {
  readonly headers: Readonly<Record<string, string>>;
}
interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}
interface Transport {
  readonly handle: (request: HttpRequest, options?: object) => Promise<{ response: HttpResponse }>;
}

/** Asks a transport for each operation once, and from then on answers at once as the engine did. */
function remembering(transport: Transport): Transport {
  const answers = new Map<string, Omit<HttpResponse, 'body'> & { readonly body: Buffer }>();
  return {
    handle: async (request, options) => {
      // What the SDK names the operation with, the same for every request of a kind.
      const operation = request.headers['x-amz-target'] ?? '';
      let answer = answers.get(operation);
      if (!answer) {
        const { response } = await transport.handle(request, options);
        const { statusCode, headers } = response;
        answer = { statusCode, headers, body: await buffer(response.body) };
        answers.set(operation, answer);
      }
      // The body is a stream, as every real one is.
      return { response: { ...answer, body: streamOf(answer.body) } };
    },
  };
}

const streamOf = (body: Buffer): Readable =>
  new Readable({
    read() {
      this.push(body);
      this.push(null);
    },
  });

/** The calls by the SDK as it comes and by the gateway's client, the chain, and it with its log. */
const variants = await withSubjects(async ({ address, gateway: { createTenant }, client: live }) => {
  const requestHandler = remembering(live.config.requestHandler);
  const client = createClient({ ...address, requestHandler });
  const options = { operator: live, client };
  const words = { key: await createTenant(AMPLE), idempotencyKey: 'order-7' };
  const ping = (subject: Subject) => () => serveOn(PATHS.firstWithKey, subject, words);
  const chain = ping(gatewaySubject(options));
  const calls = await recordCalls(client, chain);
  const plainClient = documentClient(new DynamoDBClient({ ...address, requestHandler }));
  const tunedClient = documentClient(client);
  return {
    bare: () => makeCalls(plainClient, calls),
    tuned: () => makeCalls(tunedClient, calls),
    chain,
    logged: ping(gatewaySubject({ ...options, telemetry: chainDependencies().telemetry })),
  };
});

const serve = (variant: () => Promise<void>, requests: number) => async (): Promise<void> => {
  for (let served = 0; served < requests; served++) await variant();
};

async function cpuUsOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const rounds = Number(process.argv[2]);
const sample = (measure: (work: () => Promise<void>) => Promise<number>): Promise<number[][]> => {
  const round = (variant: () => Promise<void>) => async () =>
    (await measure(serve(variant, REQUESTS_PER_ROUND))) / REQUESTS_PER_ROUND;
  return inTurns(rounds, Object.values(variants).map(round));
};

for (const variant of Object.values(variants)) await serve(variant, WARM_UP_REQUESTS)();
const profiledRequests = rounds * REQUESTS_PER_ROUND;
process.send?.({
  cpuUs: await sample(cpuUsOf),
  allocatedBytes: await sample(allocatedBytes),
  profiledRequests,
  hot: await profile(serve(variants.logged, profiledRequests)),
} satisfies CpuFindings);
process.on('disconnect', () => process.exit());
