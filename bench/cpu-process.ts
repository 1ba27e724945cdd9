/** Measures in this process, whose log goes nowhere, what one ping costs it. Usage: node cpu-process.ts ROUNDS */
import { Session, type Runtime } from 'node:inspector/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { chainDependencies } from '../functions/runtime.ts';
import { createClient, documentClient } from '../functions/store/client.ts';
import { makeCalls, recordCalls } from './bare/calls.ts';
import { PATHS, serveOn } from './paths.ts';
import { inTurns, sumsBy } from './statistics.ts';
import { AMPLE, gatewaySubject, withSubjects, type Subject } from './subject.ts';

/** What was measured of one request: for each variant in turns, one sample a round; and as deployed by whose code. */
export interface CpuFindings {
  readonly variants: readonly { readonly name: string; readonly samples: readonly number[] }[];
  readonly selfUs: readonly { readonly name: string; readonly sum: number }[];
}

/** Requests until V8 has optimised what it will. */
const WARM_UP_REQUESTS = 4_000;
const REQUESTS_PER_ROUND = 1_000;
const SAMPLING_INTERVAL_US = 200;

/** Of the SDK's, what matters here. */
interface Transport {
  handle(request: { headers: Record<string, string> }, options?: object): Promise<{ response: { body: Readable } }>;
}

/** Asks a transport for each operation once, and from then on answers at once as the engine did. */
function remembering(transport: Transport): Transport {
  const answers = new Map<string, { readonly response: object; readonly content: Buffer }>();
  return {
    handle: async (request, options) => {
      // What the SDK names the operation with, the same for every request of a kind.
      const operation = request.headers['x-amz-target'] ?? '';
      let answer = answers.get(operation);
      if (!answer) {
        const { response } = await transport.handle(request, options);
        answer = { response, content: await buffer(response.body) };
        answers.set(operation, answer);
      }
      // The body is a stream, as every real one is.
      return { response: { ...answer.response, body: Readable.from(answer.content, { objectMode: false }) } };
    },
  };
}

/** By what people call them, the one first that the others are compared with. */
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

/** Where the time of a variant goes, by whose code it is spent in; without the time in which nothing was done. */
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
