import { once } from 'node:events';
import autocannon from 'autocannon';
import { PING_PATH } from '../../functions/operations/ping.ts';
import { canPin, pinnedTo } from '../cores.ts';
import { onFreshEngine } from '../engine.ts';
import type { BenchPart, Findings } from '../part.ts';
import { pingHeaders } from '../request.ts';
import { cpuMsOf, startNeverWaiting, startServer } from '../server-process.ts';
import { measured, median, pairedRatio } from '../statistics.ts';
import { AMPLE, gatewaySubject, peerSubject, type Subject } from '../subject.ts';

const CONNECTIONS = 50;
/** Core of the engine and the load, and of what is measured. */
const [LOAD_CORE, SERVER_CORE] = [0, 1];
const WARM_UP_SECONDS = 2;
const MEASURE_SECONDS = 5;
/** Share of what a server was given from which on it is the limit. */
const NEARLY_ALL = 0.8;
/** The bound of the issue. */
const MIN_RATIO = 1.5;

/** How much of a core the servers get. */
interface CoreShare {
  readonly name: string;
  readonly share: number;
}
const WHOLE_CORE: CoreShare = { name: 'a whole core', share: 1 };
/** Beside a process that never waits. With so little the server is the limit, and not the engine on the other core. */
const HALF_A_CORE: CoreShare = { name: 'half a core', share: 0.5 };

/** What one round of one subject came to. */
interface Round {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the server's process for each request. */
  readonly cpuMs: number;
  /** Share of its core that the server used. */
  readonly utilisation: number;
}

interface Share extends CoreShare {
  readonly rounds: Record<Subject['name'], Round[]>;
}

/** What one core serves, beside the peer on the same core and a fresh engine like it. */
export const throughput: BenchPart = {
  title: 'Throughput on one core',
  measures: `pings by autocannon, ${CONNECTIONS} connections, the handler as deployed behind node:http; in turns with the peer`,
  run: async ({ runs, progress }) => {
    const shares: Share[] = [{ ...WHOLE_CORE, rounds: { gateway: [], peer: [] } }];
    if (canPin) shares.push({ ...HALF_A_CORE, rounds: { gateway: [], peer: [] } });
    for (const share of shares) {
      const rival = share.share < 1 ? startNeverWaiting(SERVER_CORE) : undefined;
      try {
        for (let round = 0; round < runs; round++) {
          const order = round % 2 === 0 ? (['gateway', 'peer'] as const) : (['peer', 'gateway'] as const);
          for (const name of order) {
            progress(`${share.name}, round ${round + 1} of ${runs}, ${name}`);
            share.rounds[name].push(await pinnedTo(LOAD_CORE, () => runRound(name)));
          }
        }
      } finally {
        rival?.kill();
      }
    }
    return findings(shares);
  },
};

const runRound = (name: Subject['name']): Promise<Round> =>
  onFreshEngine(async ({ address, client }) => {
    const options = { operator: client, client };
    const subject = name === 'gateway' ? gatewaySubject(options) : peerSubject(options);
    // A project for each connection: what one project meets under load is measured elsewhere.
    const keys = await Promise.all(Array.from({ length: CONNECTIONS }, () => subject.createTenant(AMPLE)));
    const server = startServer(name, address, SERVER_CORE);
    try {
      const [port] = (await once(server, 'message')) as [number];
      await fire(port, keys, WARM_UP_SECONDS);
      const cpuBefore = await cpuMsOf(server);
      const { requests, latency, duration, non2xx, errors } = await fire(port, keys, MEASURE_SECONDS);
      const cpuMs = (await cpuMsOf(server)) - cpuBefore;
      if (non2xx + errors > 0) throw new Error(`${name}: ${non2xx} answers were no success, ${errors} failed`);
      return {
        requestsPerSecond: requests.total / duration,
        p50Ms: latency.p50,
        p99Ms: latency.p99,
        cpuMs: cpuMs / requests.total,
        utilisation: cpuMs / (duration * 1_000),
      };
    } finally {
      server.disconnect();
      await once(server, 'exit');
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

function findings(shares: readonly Share[]): Findings {
  const found = shares.map((share) => shareFindings(share));
  return {
    sections: found.map(({ section }) => section),
    targets: found.map(({ target }) => target),
    notes: [
      canPin
        ? `The server has core ${SERVER_CORE}, the engine and the load core ${LOAD_CORE}.`
        : 'This machine pins no processes to cores: engine, load and server share them.',
      ...found.flatMap(({ notes }) => notes),
    ],
  };
}

function shareFindings({ name: server, share, rounds }: Share) {
  const of = (name: Subject['name'], figure: keyof Round) => rounds[name].map((round) => round[figure]);
  const row = (name: Subject['name']) => ({
    subject: name,
    requestsPerSecond: measured(of(name, 'requestsPerSecond')),
    p50Ms: measured(of(name, 'p50Ms')),
    p99Ms: measured(of(name, 'p99Ms')),
    cpuMs: measured(of(name, 'cpuMs')),
    utilisation: measured(of(name, 'utilisation')),
  });
  const ratio = (figure: keyof Round) => pairedRatio(of('gateway', figure), of('peer', figure));
  const columns = {
    subject: '',
    requestsPerSecond: 'requests/s',
    p50Ms: 'p50 ms',
    p99Ms: 'p99 ms',
    cpuMs: 'CPU ms/request',
    utilisation: 'share of the core used',
  };
  const ratios = {
    subject: 'ratio',
    requestsPerSecond: ratio('requestsPerSecond'),
    p50Ms: ratio('p50Ms'),
    p99Ms: ratio('p99Ms'),
    cpuMs: ratio('cpuMs'),
  };
  const busy = median(of('gateway', 'utilisation'));
  return {
    section: {
      heading: `On ${server}, rounds of ${MEASURE_SECONDS} s`,
      columns,
      rows: [row('gateway'), row('peer'), ratios],
    },
    target: {
      what: `requests/s, ratio to the peer, on ${server}`,
      value: ratio('requestsPerSecond').median,
      atLeast: MIN_RATIO,
    },
    notes:
      busy < NEARLY_ALL * share
        ? [
            `On ${server} the gateway used ${(busy * 100).toFixed(0)} % of the core: the engine or the load was the limit.`,
          ]
        : [],
  };
}
