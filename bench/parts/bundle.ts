import { startFresh, withBundles } from '../bundles.ts';
import { sectionOf, type BenchPart } from '../part.ts';
import { inTurns, measured } from '../statistics.ts';

const STARTS_PER_RUN = 5;
const SHOWN_PACKAGES = 12;

/** What every ping needs: the client of the database, made but not used. */
const SDK = `import { createClient, documentClient } from './functions/store/client.ts';
  export { BatchGetCommand, PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
  export const client = documentClient(createClient());`;

const withSdk = (code: string) => ({ code: `${SDK}\n${code}` });

/** What the functions use of each library, beside the SDK. */
const LIBRARIES = {
  'Powertools Logger': withSdk(`import { Logger } from '@aws-lambda-powertools/logger';
    export const logger = new Logger();`),
  'Powertools Metrics': withSdk(`import { Metrics } from '@aws-lambda-powertools/metrics';
    export const metrics = new Metrics({ namespace: 'n' });`),
  'Middy with CORS': withSdk(`import middy from '@middy/core';
    import cors from '@middy/http-cors';
    export const ring = middy().use(cors({}));`),
  valibot: withSdk(`import * as v from 'valibot';
    export const schema = v.object({ a: v.optional(v.pipe(v.string('a'), v.check(() => true, 'b'))) });
    export const parse = v.safeParse;`),
  canonicalize: withSdk(`export { default as canonicalize } from 'canonicalize';`),
};

/** Whole bundles. */
const BUNDLES = {
  ping: { file: 'functions/metered/handler.ts' },
  health: { file: 'functions/health/handler.ts' },
  peer: { file: 'bench/peer/handler.ts', hasCommonJs: true },
  sdk: { code: SDK },
  empty: { code: 'export {};' },
};

/** How large the bundles are, and what each library costs in them. */
export const bundle: BenchPart = {
  title: 'Bundle',
  measures:
    'the bundles as deployed, what they consist of, and what each library adds to the bare SDK, in fresh processes',
  run: ({ runs, progress }) =>
    withBundles({ ...BUNDLES, ...LIBRARIES }, async ({ ping, health, peer, sdk, empty, ...others }) => {
      const libraries = Object.values(others);
      const samplers = [empty, sdk, ...libraries].map((one) => async () => (await startFresh(one, [])).loadCpuMs);
      const [emptyMs = [], sdkMs = [], ...librariesMs] = await inTurns(runs * STARTS_PER_RUN, samplers, progress);
      const added = (ms: readonly number[], floor: readonly number[]) =>
        measured(ms.map((value, i) => value - (floor[i] ?? NaN)));
      const additions = [
        { library: 'SDK (over an empty module)', bytes: sdk.bytes, loadCpuMs: added(sdkMs, emptyMs) },
        ...libraries.map(({ name, bytes }, i) => ({
          library: name,
          bytes: bytes - sdk.bytes,
          loadCpuMs: added(librariesMs[i] ?? [], sdkMs),
        })),
      ];
      return {
        sections: [
          sectionOf('Bundles', [ping, health, peer, sdk], {
            bundle: ['Bundle', ({ name }) => name],
            kB: ['kB', ({ bytes }) => bytes / 1_000],
            gzipKB: ['gzip kB', ({ gzipBytes }) => gzipBytes / 1_000],
          }),
          sectionOf('What ping consists of', ping.packages.slice(0, SHOWN_PACKAGES), {
            package: ['Package', ({ name }) => name],
            kB: ['kB', ({ sum }) => sum / 1_000],
            share: ['Share %', ({ sum }) => (100 * sum) / ping.bytes],
          }),
          sectionOf('What a library adds', additions, {
            library: ['Library', ({ library }) => library],
            kB: ['kB', ({ bytes }) => bytes / 1_000],
            loadCpuMs: ['CPU ms to load', ({ loadCpuMs }) => loadCpuMs],
          }),
        ],
        targets: [
          { what: 'ping, kB', value: ping.bytes / 1_000, atMost: 260 },
          { what: 'health, kB', value: health.bytes / 1_000, atMost: 60 },
        ],
      };
    }),
};
