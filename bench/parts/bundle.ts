import { PEER_HANDLER, withBundles } from '../bundles.ts';
import { sectionOf, type BenchPart } from '../part.ts';

const SHOWN_PACKAGES = 12;

const BUNDLES = {
  ping: 'functions/gateway/metered.ts',
  health: 'functions/gateway/health.ts',
  peer: PEER_HANDLER,
  /** What every ping needs: the client of the database. */
  sdk: 'bench/bare/handler.ts',
};

/** How large the bundles are, and what they consist of. */
export const bundle: BenchPart = {
  title: 'Bundle',
  measures: 'the bundles as deployed, beside the smallest that makes the calls of a ping, and what they consist of',
  run: () =>
    withBundles(BUNDLES, ({ ping, health, peer, sdk }) => ({
      sections: [
        sectionOf('Bundles', [ping, health, peer, sdk], {
          bundle: ['Bundle', ({ name }) => name],
          kB: ['kB', ({ bytes }) => bytes / 1_000],
        }),
        sectionOf('What ping consists of', ping.packages.slice(0, SHOWN_PACKAGES), {
          package: ['Package', ({ name }) => name],
          kB: ['kB', ({ sum }) => sum / 1_000],
          share: ['Share %', ({ sum }) => (100 * sum) / ping.bytes],
        }),
      ],
    })),
};
