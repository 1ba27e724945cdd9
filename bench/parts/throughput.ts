import autocannon from 'autocannon';
import { PING_PATH } from '../../functions/operations/ping.ts';
import { sectionOf, type BenchPart } from '../part.ts';
import { canPin, functionVariables, runOn, startProcess } from '../processes.ts';
import { pingHeaders } from '../request.ts';
import { each, inTurns, measured, pairedRatio } from '../statistics.ts';
import { AMPLE, withSubjects } from '../subject.ts';

const CONNECTIONS = 50;
/** The core of the engine and the load, and the core of the server that is measured. */
const [LOAD_CORE, SERVER_CORE] = [0, 1];
const WARM_UP_SECONDS = 2;
const MEASURE_SECONDS = 5;
/** The share of a core that the servers get. With half a core the server is the limit, and not the engine. */
const [WHOLE, HALF] = ['a whole core', 'half a core'];

const NEVER_WAITING = new URL('../never-waiting.ts', import.meta.url);
const SERVER = new URL('../server.ts', import.meta.url);
/** Each server, and the subject whose tenants it serves. */
const SERVED = [
  { name: 'gateway', of: 'gateway', module: new URL('../../functions/metered/handler.ts', import.meta.url) },
  { name: 'peer', of: 'peer', module: new URL('../peer/handler.ts', import.meta.url) },
] as const;
type Served = (typeof SERVED)[number];

/** The result of a round: the CPU time of the server's process, and the share of its core that it used. */
type Figure = 'requestsPerSecond' | 'p50Ms' | 'p99Ms' | 'cpuMs' | 'utilisation';
type Round = Readonly<Record<Figure, number>>;

/** What one core serves, compared with the peer on the same core. Each has a fresh engine. */
export const throughput: BenchPart = {
  title: 'Throughput on one core',
  measures: `pings by autocannon, ${CONNECTIONS} connections, the handler as deployed behind node:http; in turns with the peer`,
  run: async (runs, progress) => {
    const sections = [];
    // Without pinned processes there are no cores to share.
    for (const share of canPin ? [WHOLE, HALF] : [WHOLE]) {
      const rival = share === HALF ? startProcess(NEVER_WAITING, { core: SERVER_CORE }) : undefined;
      try {
        runOn(LOAD_CORE);
        const samplers = SERVED.map((served) => ({ name: served.name, sample: () => runRound(served) }));
        const taken = await inTurns(runs, samplers, (round) => progress(`${share}, ${round}`));
        const [gateway, peer] = taken;
        const rows = [
          ...taken.map(({ name, samples }) => ({ name, of: (figure: Figure) => measured(each(samples, figure)) })),
          {
            name: 'gateway to peer',
            of: (figure: Figure) =>
              pairedRatio(each(gateway?.samples ?? [], figure), each(peer?.samples ?? [], figure)),
          },
        ];
        sections.push(
          sectionOf(`On ${share}, rounds of ${MEASURE_SECONDS} s`, rows, {
            subject: ['', ({ name }) => name],
            requestsPerSecond: ['requests/s', ({ of }) => of('requestsPerSecond')],
            p50Ms: ['p50 ms', ({ of }) => of('p50Ms')],
            p99Ms: ['p99 ms', ({ of }) => of('p99Ms')],
            cpuMs: ['CPU ms/request', ({ of }) => of('cpuMs')],
            utilisation: ['share of the core used', ({ of }) => of('utilisation')],
          }),
        );
      } finally {
        runOn();
        await rival?.stop();
      }
    }
    const cores = canPin
      ? `The server has core ${SERVER_CORE}, the engine and the load core ${LOAD_CORE}; below its share of that core they were the limit.`
      : 'This machine pins no processes to cores: engine, load and server share them.';
    return { sections, notes: [cores] };
  },
};

const runRound = ({ name, of, module }: Served): Promise<Round> =>
  withSubjects(async ({ address, [of]: subject }) => {
    // Each connection has its project: the load on one project is measured by `contention`.
    const keys = await Promise.all(Array.from({ length: CONNECTIONS }, () => subject.createTenant(AMPLE)));
    const environment = { ...functionVariables(address), NODE_ENV: 'production' };
    const server = startProcess(SERVER, { args: [module.href], environment, core: SERVER_CORE });
    try {
      const port = await server.next<number>();
      await fire(port, keys, WARM_UP_SECONDS);
      const cpuUsBefore = await server.ask<number>();
      const { requests, latency, duration, non2xx, errors } = await fire(port, keys, MEASURE_SECONDS);
      const cpuMs = ((await server.ask<number>()) - cpuUsBefore) / 1_000;
      if (non2xx + errors > 0) throw new Error(`${name}: ${non2xx} answers were no success, ${errors} failed`);
      return {
        requestsPerSecond: requests.total / duration,
        p50Ms: latency.p50,
        p99Ms: latency.p99,
        cpuMs: cpuMs / requests.total,
        utilisation: cpuMs / (duration * 1_000),
      };
    } finally {
      await server.stop();
    }
  });

const fire = (port: number, keys: readonly string[], duration: number) => {
  let next = 0;
  return autocannon({
    url: `http://127.0.0.1:${port}${PING_PATH}`,
    method: 'POST',
    connections: CONNECTIONS,
    duration,
    body: '{}',
    setupClient: (client) => {
      client.setHeaders(pingHeaders({ key: keys[next++ % keys.length] ?? '' }));
    },
  });
};
