import { createClient } from '../../functions/store/client.ts';
import { countUnits, type Units } from '../capacity.ts';
import { onFreshEngine, type BenchEngine } from '../engine.ts';
import type { BenchPart, Findings } from '../part.ts';
import { AFTER_16_MINUTES, benchClock, PATHS, serveOn, type Path } from '../paths.ts';
import { gatewaySubject, peerSubject, type Subject, type SubjectOptions } from '../subject.ts';

/**
 * USD per million request units on demand in us-east-1, table class Standard: since November 2024 half of before,
 * as reported in 2025; AWS's page (aws.amazon.com/dynamodb/pricing/on-demand) is the one that counts.
 */
const USD_PER_MILLION = { write: 0.625, read: 0.125 } as const;
/** The bounds of the issue, in write units. */
const MAX_WRITE_UNITS = { withKey: 7, withoutKey: 5 } as const;

/** What each path costs beside the peer's. Nothing is timed: one request a path tells all. */
export const cost: BenchPart = {
  title: 'Cost in DynamoDB',
  measures: 'request units of every path as the engine reports them, in USD per million requests at list price',
  run: ({ progress }) =>
    onFreshEngine(async (engine) => {
      // DynamoDB Local reports less for transactions than DynamoDB does.
      if (engine.name !== 'dynoxide') throw new Error('Capacity is measured on dynoxide, which runs on Linux on x64.');
      const figures: PathCost[] = [];
      for (const path of [...Object.values<Path>(PATHS), AFTER_16_MINUTES]) {
        progress(path.name);
        const gateway = await unitsOf(path, engine, gatewaySubject);
        figures.push({ path, gateway, peer: await unitsOf(path, engine, peerSubject) });
      }
      return findings(figures);
    }),
};

interface PathCost {
  readonly path: Path;
  readonly gateway: Units;
  readonly peer: Units;
}

async function unitsOf(
  path: Path,
  { address, client: operator }: BenchEngine,
  make: (options: SubjectOptions) => Subject,
): Promise<Units> {
  const client = createClient(address);
  const clock = benchClock(Date.now());
  try {
    const subject = make({ operator, client, clock });
    const words = await path.prepare(subject, clock);
    const units = countUnits(client);
    await serveOn(path, subject, words);
    return units;
  } finally {
    client.destroy();
  }
}

const usd = ({ write, read }: Units): number => write * USD_PER_MILLION.write + read * USD_PER_MILLION.read;

function findings(figures: readonly PathCost[]): Findings {
  const rows = figures.map(({ path, gateway, peer }) => ({
    path: path.name,
    writeUnits: gateway.write,
    readUnits: gateway.read,
    usdPerMillion: usd(gateway).toFixed(2),
    peerWriteUnits: peer.write,
    peerReadUnits: peer.read,
    peerUsdPerMillion: usd(peer).toFixed(2),
    buys: usd(gateway) > usd(peer) ? (path.buys ?? 'nothing') : '',
  }));
  const columns = {
    path: 'path',
    writeUnits: 'write units',
    readUnits: 'read units',
    usdPerMillion: 'USD per million',
    peerWriteUnits: 'peer write units',
    peerReadUnits: 'read units',
    peerUsdPerMillion: 'USD per million',
    buys: 'what more than the peer buys',
  };
  const mostWriteUnits = (...paths: readonly Path[]) =>
    Math.max(...figures.filter(({ path }) => paths.includes(path)).map(({ gateway }) => gateway.write));
  return {
    sections: [{ heading: 'Of one request', columns, rows }],
    targets: [
      {
        what: 'write units, first with Idempotency-Key, first of a minute included',
        value: mostWriteUnits(PATHS.firstWithKey, PATHS.firstOfMinuteWithKey),
        atMost: MAX_WRITE_UNITS.withKey,
      },
      {
        what: 'write units, first without, first of a minute included',
        value: mostWriteUnits(PATHS.first, PATHS.firstOfMinute),
        atMost: MAX_WRITE_UNITS.withoutKey,
      },
      {
        what: 'paths that cost more than the peer’s and buy nothing',
        value: rows.filter(({ buys }) => buys === 'nothing').length,
        atMost: 0,
      },
    ],
    notes: [
      `USD at ${USD_PER_MILLION.write} per million write units and ${USD_PER_MILLION.read} per million read units: us-east-1 on demand, since November 2024.`,
      'The peer refuses "again" from the memory of the instance that refused before; another instance asks the table again.',
    ],
  };
}
