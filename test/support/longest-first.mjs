/** The order of a run: what takes longest begins first, so that no processor is left without work at the end. */
import Sequencer from '@jest/test-sequencer';

/** Files of more than ten seconds, longest first; all others are shorter. */
const LONGEST = [
  'e2e/portal/requests',
  'e2e/portal/pages',
  'e2e/portal/usage',
  'handlers/faults',
  'e2e/smoke',
  'e2e/portal/states',
  'e2e/portal/docs',
  'portal/faults',
  'e2e/portal/key',
  'e2e/portal/team',
  'portal/races',
  'e2e/smoke-portal',
  'e2e/start',
  'e2e/synth',
  'handlers/crash-points',
  'e2e/concurrency',
  'e2e/portal/hostile-names',
  'e2e/portal/profile',
  'property/model',
  'e2e/portal/cross-site',
  'portal/authority',
  'portal/crash-points',
  'portal/journey',
  'portal/export',
  'portal/session-races',
  'e2e/examples',
  'e2e/portal/audit',
  'e2e/portal/reader',
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
