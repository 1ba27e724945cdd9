/**
 * Ends the run of a mutant as soon as it is known to be killed. Once a test has failed, what is left is skipped: Jest
 * cannot bail when it is run by a program. And a test that goes on for far longer, or far more often meets the mutant,
 * than it would without one, fails: one that never ends holds Stryker up for minutes.
 */
import { TestEnvironment } from 'jest-environment-node';
import { dryRun } from './dry-run.mjs';

/** How many times as much as without a mutant. Many: the machine may be busier than it was then. */
const TIMES = 10;
const MORE_MS = 10_000;
const MORE_HITS = 1_000;

const hits = new Map();
/** How often, in the run without a mutant, a test met the mutant that it met most often. */
export const hitsIn = (path, name) => hits.get(`${path}\t${name}`) ?? 0;

let killed;

export default class FirstFailure extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.path = context.testPath;
    this.tests = dryRun(config.globalConfig.rootDir)?.[context.testPath]?.tests;
  }

  handleTestEvent({ name, test }) {
    const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
    const stryker = this.global[this.global.__strykerGlobalNamespace__];
    if (mutant === undefined) {
      const met = name === 'test_done' && stryker?.mutantCoverage?.perTest[stryker.currentTestId];
      const most = met && Object.values(met).reduce((a, b) => Math.max(a, b), 0);
      if (most) hits.set(`${this.path}\t${stryker.currentTestId}`, most);
      return;
    }
    if (name === 'test_start' && killed === mutant) test.mode = 'skip';
    else if (name === 'test_start') {
      const without = this.tests?.[nameOf(test)] ?? { ms: 0, hits: 0 };
      test.timeout = TIMES * without.ms + MORE_MS;
      if (stryker?.hitLimit) Object.assign(stryker, { hitCount: 0, hitLimit: TIMES * without.hits + MORE_HITS });
    }
    if (name === 'test_done' && test.errors.length > 0) killed = mutant;
  }
}

/** As Jest reports it. */
const nameOf = ({ parent, name }) => (parent ? `${nameOf(parent)} ${name}`.trimStart() : '');
