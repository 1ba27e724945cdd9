/** The order of a run: what takes longest begins first, so that no processor is left without work at the end. */
import Sequencer from '@jest/test-sequencer';

/**
 * Files of more than ten seconds, all others are shorter: about the longest first, and those that wait for pages and processes
 * beside those that reckon.
 */
const LONGEST = [
  'e2e/portal/requests',
  'handlers/faults',
  'e2e/portal/pages',
  'e2e/synth',
  'e2e/portal/usage',
  'portal/faults',
  'e2e/portal/states',
  'e2e/smoke',
  'e2e/portal/docs',
  'portal/races',
  'e2e/start',
  'e2e/portal/key',
  'portal/authority',
  'e2e/portal/team',
  'e2e/concurrency',
  'e2e/portal/hostile-names',
  'handlers/crash-points',
  'e2e/portal/profile',
  'portal/session-races',
  'e2e/smoke-portal',
  'e2e/portal/cross-site',
  'property/model',
  'e2e/portal/reader',
  'portal/crash-points',
  'e2e/portal/audit',
  'e2e/examples',
  'portal/export',
  'e2e/portal/journey',
  'portal/journey',
  'e2e/portal-start',
  'property/accounts',
];

/** How early a file is to begin: less is earlier. */
const rank = ({ path }) => {
  const found = LONGEST.findIndex((name) => path.endsWith(`/test/${name}.test.ts`));
  return found === -1 ? LONGEST.length : found;
};

export default class LongestFirst extends Sequencer {
  /** The others follow in jest's own order: what failed in the last run, then by how long it took, or by size. */
  async sort(tests) {
    return (await super.sort(tests)).toSorted((a, b) => rank(a) - rank(b));
  }
}
