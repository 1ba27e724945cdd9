import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleOf, type Bundle } from '../bundles.ts';
import type { BenchPart } from '../part.ts';
import { startFresh } from '../starts.ts';
import { measured } from '../statistics.ts';

const STARTS_PER_RUN = 5;
const SHOWN_PACKAGES = 12;

/** What every ping needs: the client of the database, made but not used. */
const SDK = `import { createClient, documentClient } from './functions/store/client.ts';
  export { BatchGetCommand, PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
  export const client = documentClient(createClient());`;

/** What the functions use of each library. */
const LIBRARIES: Readonly<Record<string, string>> = {
  'Powertools Logger': `import { Logger } from '@aws-lambda-powertools/logger';
    export const logger = new Logger();`,
  'Powertools Metrics': `import { Metrics } from '@aws-lambda-powertools/metrics';
    export const metrics = new Metrics({ namespace: 'n' });`,
  'Middy with CORS': `import middy from '@middy/core';
    import cors from '@middy/http-cors';
    export const ring = middy().use(cors({}));`,
  valibot: `import * as v from 'valibot';
    export const schema = v.object({ a: v.optional(v.pipe(v.string('a'), v.check(() => true, 'b'))) });
    export const parse = v.safeParse;`,
  canonicalize: `export { default as canonicalize } from 'canonicalize';`,
};

/** How large the bundles are, and what each library costs in them. */
export const bundle: BenchPart = {
  title: 'Bundle',
  measures:
    'the bundles as deployed, what they consist of, and what each library adds to the bare SDK, in fresh processes',
  run: async ({ runs, progress }) => {
    const directory = await mkdtemp(join(tmpdir(), 'bench-'));
    try {
      const [ping, health, peer, sdk] = await Promise.all([
        bundleOf('ping', { file: 'functions/metered/handler.ts' }, directory),
        bundleOf('health', { file: 'functions/health/handler.ts' }, directory),
        bundleOf('peer', { file: 'bench/peer/handler.ts', hasCommonJs: true }, directory),
        bundleOf('sdk', { code: SDK }, directory),
      ]);
      const empty = await bundleOf('empty', { code: 'export {};' }, directory);
      const libraries = await Promise.all(
        Object.entries(LIBRARIES).map(([name, code]) => bundleOf(name, { code: `${SDK}\n${code}` }, directory)),
      );
      const measuredBundles = [empty, sdk, ...libraries];
      const loadCpuMs = new Map(measuredBundles.map(({ name }) => [name, [] as number[]]));
      for (let made = 0; made < runs * STARTS_PER_RUN; made++) {
        progress(`start ${made + 1} of ${runs * STARTS_PER_RUN}`);
        for (const { name, file } of measuredBundles) loadCpuMs.get(name)?.push((await startFresh(file)).load.cpuMs);
      }
      const added = ({ name }: Bundle, to: Bundle) => {
        const floor = loadCpuMs.get(to.name) ?? [];
        return measured((loadCpuMs.get(name) ?? []).map((ms, i) => ms - (floor[i] ?? NaN)));
      };
      return {
        sections: [
          {
            heading: 'Bundles',
            columns: { bundle: 'Bundle', kB: 'kB', gzipKB: 'gzip kB' },
            rows: [ping, health, peer, sdk].map(({ name, bytes, gzipBytes }) => ({
              ...{ bundle: name, kB: bytes / 1_000, gzipKB: gzipBytes / 1_000 },
            })),
          },
          {
            heading: 'What ping consists of',
            columns: { package: 'Package', kB: 'kB', share: 'Share %' },
            rows: [...ping.packages]
              .sort(([, a], [, b]) => b - a)
              .slice(0, SHOWN_PACKAGES)
              .map(([name, bytes]) => ({ package: name, kB: bytes / 1_000, share: (100 * bytes) / ping.bytes })),
          },
          {
            heading: 'What a library adds',
            columns: { library: 'Library', kB: 'kB', loadCpuMs: 'CPU ms to load' },
            rows: [
              { library: 'SDK (over an empty module)', kB: sdk.bytes / 1_000, loadCpuMs: added(sdk, empty) },
              ...libraries.map((library) => ({
                ...{ library: library.name, kB: (library.bytes - sdk.bytes) / 1_000, loadCpuMs: added(library, sdk) },
              })),
            ],
          },
        ],
        targets: [
          { what: 'ping, kB', value: ping.bytes / 1_000, atMost: 260 },
          { what: 'health, kB', value: health.bytes / 1_000, atMost: 60 },
        ],
      };
    } finally {
      await rm(directory, { recursive: true });
    }
  },
};
