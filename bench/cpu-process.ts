/** Measures the CPU time of one ping in this process, whose log is discarded. Usage: node cpu-process.ts ROUNDS */
import { Session, type Runtime } from 'node:inspector/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { chainDependencies } from '../functions/gateway/runtime.ts';
import { createClient, documentClient } from '../functions/shared/store/client.ts';
import { makeCalls, recordCalls } from './bare/calls.ts';
import { PATHS, serveOn } from './paths.ts';
import { inTurns, sumsBy } from './statistics.ts';
import { AMPLE, gatewaySubject, withSubjects, type Subject } from './subject.ts';

/** The CPU time of one request: of each variant in turns, one sample a round; and of the deployed form by package. */
export interface CpuFindings {
  readonly variants: readonly { readonly name: string; readonly samples: readonly number[] }[];
  readonly selfUs: readonly { readonly name: string; readonly sum: number }[];
}

/** Requests after which V8 has optimised the code. */
const WARM_UP_REQUESTS = 4_000;
const REQUESTS_PER_ROUND = 1_000;
const SAMPLING_INTERVAL_US = 200;

/** The members of the SDK's types that matter here. */
interface Transport {
  handle(request: { headers: Record<string, string> }, options?: object): Promise<{ response: { body: Readable } }>;
}

/** Sends each operation once, and afterwards repeats the answer of the engine without sending. */
function remembering(transport: Transport): Transport {
  const answers = new Map<string, { readonly response: object; readonly content: Buffer }>();
  return {
    handle: async (request, options) => {
      // The header in which the SDK names the operation.
      const operation = request.headers['x-amz-target'] ?? '';
      let answer = answers.get(operation);
      if (!answer) {
        const { response } = await transport.handle(request, options);
        answer = { response, content: await buffer(response.body) };
        answers.set(operation, answer);
      }
      // The body is a stream, as in a real response.
      return { response: { ...answer.response, body: Readable.from(answer.content, { objectMode: false }) } };
    },
  };
}

/** Variants by name. The others are compared with the first. */
const variants = await withSubjects(async ({ address, gateway: { createTenant }, client: live }) => {
  const requestHandler = remembering(live.config.requestHandler);
  const client = createClient({ ...address, requestHandler });
  const words = { key: await createTenant(AMPLE), idempotencyKey: 'order-7' };
  const ping = (subject: Subject) => () => serveOn(PATHS.firstWithKey, subject, words);
  const chain = ping(gatewaySubject({ client }));
  const calls = await recordCalls(client, chain);
  const documents = documentClient(client);
  return {
    'bare calls': () => makeCalls(documents, calls),
    'chain, without log and metrics': chain,
    'chain, as deployed': ping(gatewaySubject({ client, telemetry: chainDependencies().telemetry })),
  };
});

async function serve(variant: () => Promise<void>, requests: number): Promise<void> {
  for (let served = 0; served < requests; served++) await variant();
}

const cpuUsOf = (variant: () => Promise<void>) => async (): Promise<number> => {
  const before = process.cpuUsage();
  await serve(variant, REQUESTS_PER_ROUND);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / REQUESTS_PER_ROUND;
};

/** The time of a variant by the package that it was spent in, without idle time. */
async function profile(variant: () => Promise<void>, requests: number): Promise<CpuFindings['selfUs']> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_INTERVAL_US });
  await session.post('Profiler.start');
  await serve(variant, requests);
  const { nodes, samples = [], timeDeltas = [] } = (await session.post('Profiler.stop')).profile;
  session.disconnect();
  const owners = new Map(nodes.map(({ id, callFrame }) => [id, ownerOf(callFrame)]));
  const spent = samples.map((id, i) => [owners.get(id) ?? '', (timeDeltas[i] ?? 0) / requests] as const);
  return sumsBy(spent.filter(([owner]) => owner !== ''));
}

const OWNERS: readonly (readonly [RegExp, string])[] = [
  [/node_modules\/@middy\//, 'Middy'],
  [/node_modules\/@aws-lambda-powertools\//, 'Powertools'],
  [/node_modules\/@(aws-sdk|smithy|aws)\//, 'AWS SDK'],
  [/^(?!.*node_modules).*\/functions\//, 'gateway'],
  [/^node:/, 'Node'],
  [/^$/, 'V8: garbage collection, built-in functions'],
];

const ownerOf = ({ functionName, url }: Runtime.CallFrame): string =>
  functionName === '(idle)' ? '' : (OWNERS.find(([pattern]) => pattern.test(url))?.[1] ?? 'other');

const rounds = Number(process.argv[2]);
for (const variant of Object.values(variants)) await serve(variant, WARM_UP_REQUESTS);
const samplers = Object.entries(variants).map(([name, variant]) => ({ name, sample: cpuUsOf(variant) }));
process.send?.({
  variants: await inTurns(rounds, samplers),
  selfUs: await profile(variants['chain, as deployed'], rounds * REQUESTS_PER_ROUND),
} satisfies CpuFindings);
process.on('disconnect', () => process.exit());
