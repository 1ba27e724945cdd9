import { countUnits, type Units } from '../calls.ts';
import { sectionOf, type BenchPart, type Findings } from '../part.ts';
import { AFTER_16_MINUTES, PATHS, serveOn, type Path } from '../paths.ts';
import { withSubjects, type Subject } from '../subject.ts';

/**
 * USD per million request units on demand in us-east-1, table class Standard: since November 2024 half of before,
 * as reported in 2025; AWS's page (aws.amazon.com/dynamodb/pricing/on-demand) is the one that counts.
 */
const USD_PER_MILLION = { write: 0.625, read: 0.125 } as const;

/** What each path costs beside the peer's. Nothing is timed: one request a path tells all. */
export const cost: BenchPart = {
  title: 'Cost in DynamoDB',
  measures: 'request units of every path as the engine reports them, in USD per million requests at list price',
  run: ({ progress }) =>
    withSubjects(async ({ name, client, clock, gateway, peer }) => {
      // DynamoDB Local reports less for transactions than DynamoDB does.
      if (name !== 'dynoxide') throw new Error('Capacity is measured on dynoxide, which runs on Linux on x64.');
      const takeUnits = countUnits(client);
      const unitsOf = async (path: Path, subject: Subject): Promise<Units> => {
        const words = await path.prepare(subject, clock);
        takeUnits();
        await serveOn(path, subject, words);
        return takeUnits();
      };
      const figures: PathCost[] = [];
      for (const path of [...Object.values(PATHS), AFTER_16_MINUTES]) {
        progress(path.name);
        figures.push({ path, gateway: await unitsOf(path, gateway), peer: await unitsOf(path, peer) });
      }
      return findings(figures);
    }),
};

interface PathCost {
  readonly path: Path;
  readonly gateway: Units;
  readonly peer: Units;
}

const usd = ({ write, read }: Units): number => write * USD_PER_MILLION.write + read * USD_PER_MILLION.read;

const whatMoreBuys = ({ path, gateway, peer }: PathCost): string => (usd(gateway) > usd(peer) ? path.buys : '');

function findings(figures: readonly PathCost[]): Findings {
  const mostWriteUnits = (...paths: readonly Path[]) =>
    Math.max(...figures.filter(({ path }) => paths.includes(path)).map(({ gateway }) => gateway.write));
  return {
    sections: [
      sectionOf('Of one request', figures, {
        path: ['path', ({ path }) => path.name],
        writeUnits: ['write units', ({ gateway }) => gateway.write],
        readUnits: ['read units', ({ gateway }) => gateway.read],
        usdPerMillion: ['USD per million', ({ gateway }) => usd(gateway).toFixed(2)],
        peerWriteUnits: ['peer write units', ({ peer }) => peer.write],
        peerReadUnits: ['read units', ({ peer }) => peer.read],
        peerUsdPerMillion: ['USD per million', ({ peer }) => usd(peer).toFixed(2)],
        buys: ['what more than the peer buys', whatMoreBuys],
      }),
    ],
    targets: [
      {
        what: 'write units, first with Idempotency-Key, first of a minute included',
        value: mostWriteUnits(PATHS.firstWithKey, PATHS.firstOfMinuteWithKey),
        atMost: 7,
      },
      {
        what: 'write units, first without, first of a minute included',
        value: mostWriteUnits(PATHS.first, PATHS.firstOfMinute),
        atMost: 5,
      },
      {
        what: 'paths that cost more than the peer’s and buy nothing',
        value: figures.filter((figure) => whatMoreBuys(figure) === 'nothing').length,
        atMost: 0,
      },
    ],
    notes: [
      `USD at ${USD_PER_MILLION.write} per million write units and ${USD_PER_MILLION.read} per million read units: us-east-1 on demand, since November 2024.`,
      'The peer refuses "again" from the memory of the instance that refused before; another instance asks the table again.',
    ],
  };
}
