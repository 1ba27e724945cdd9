import { meter, type Units } from '../calls.ts';
import { sectionOf, type BenchPart } from '../part.ts';
import { CAPPED_PATH, measureOn, PATHS, type Path } from '../paths.ts';
import { withSubjects } from '../subject.ts';

/**
 * USD per million request units on demand in us-east-1, table class Standard. Since November 2024 it is half,
 * as reported in 2025. AWS's page (aws.amazon.com/dynamodb/pricing/on-demand) is authoritative.
 */
const USD_PER_MILLION = { write: 0.625, read: 0.125 } as const;

/** What each path costs, compared with the peer's. Nothing is timed, so that one request for each path is enough. */
export const cost: BenchPart = {
  title: 'Cost in DynamoDB',
  measures: 'request units of every path as the engine reports them, in USD per million requests at list price',
  run: (_runs, progress) =>
    withSubjects(async ({ engine, client, gateway, peer }) => {
      // DynamoDB Local reports less for transactions than DynamoDB does.
      if (engine !== 'dynoxide') throw new Error('Capacity is measured on dynoxide, which runs on Linux on x64.');
      const unitsFor = meter(client);
      const figures = [];
      for (const path of [...Object.values<Path>(PATHS), CAPPED_PATH]) {
        progress(path.name);
        const ours = await measureOn(path, gateway, unitsFor);
        figures.push({ name: path.name, gateway: ours, peer: await measureOn(path, peer, unitsFor) });
      }
      return {
        sections: [
          sectionOf('Of one request', figures, {
            path: ['path', ({ name }) => name],
            writeUnits: ['write units', (figure) => figure.gateway.write],
            readUnits: ['read units', (figure) => figure.gateway.read],
            usdPerMillion: ['USD per million', (figure) => usd(figure.gateway)],
            peerWriteUnits: ['peer write units', (figure) => figure.peer.write],
            peerReadUnits: ['read units', (figure) => figure.peer.read],
            peerUsdPerMillion: ['USD per million', (figure) => usd(figure.peer)],
          }),
        ],
        notes: [
          `USD at ${USD_PER_MILLION.write} per million write units and ${USD_PER_MILLION.read} per million read units: us-east-1 on demand, since November 2024.`,
          'The peer refuses "again" from the memory of the instance that refused before; another instance asks the table again.',
        ],
      };
    }),
};

const usd = ({ write, read }: Units): string =>
  (write * USD_PER_MILLION.write + read * USD_PER_MILLION.read).toFixed(2);
