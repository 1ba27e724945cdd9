/**
 * Ends the run of a mutant as soon as it is known to be killed. Once a test has failed, what is left is skipped: Jest
 * cannot bail when it is run by a program. And a test that goes on for far longer, or far more often meets the mutant,
 * than it would without one, fails: one that never ends holds Stryker up for minutes.
 */
import Environment from '../support/environment.mjs';
import { dryRun, hasHung } from './dry-run.mjs';
import { endIn } from './watchdog.mjs';

/** How many times as much as without a mutant. Many: the machine may be busier than it was then. */
const TIMES = 10;
const MORE_MS = 30_000;
const MORE_HITS = 1_000;
/** For Jest's own timer, which fires in time when the thread is given back. */
const LATER_MS = 15_000;

const met = new Map();
/** What a test file met in the run without a mutant, as `dryRun` returns it. */
export const metIn = (path) => met.get(path);

let killed;

export default class FirstFailure extends Environment {
  constructor(config, context) {
    super(config, context);
    this.path = context.testPath;
    this.rootDir = config.globalConfig.rootDir;
    this.shown = dryRun(this.rootDir)?.[this.path];
  }

  /** What Stryker's instrumented code sees. */
  get stryker() {
    return this.global[this.global.__strykerGlobalNamespace__];
  }

  async setup() {
    await super.setup();
    if (hasHung(this.rootDir, process.env.__STRYKER_ACTIVE_MUTANT__)) throw new Error('It never gave the thread back.');
    this.before = { ...this.stryker?.mutantCoverage?.static };
    if (this.shown) this.allow(this.shown.loadMs);
    else met.set(this.path, { outside: [], tests: {} });
  }

  async teardown() {
    if (this.shown) endIn(undefined, this.rootDir);
    // Of all files that were run so far.
    const outside = Object.entries(this.stryker?.mutantCoverage?.static ?? {});
    const isNew = ([mutant, count]) => count !== this.before[mutant];
    if (!this.shown) met.get(this.path).outside = outside.filter(isNew).map(([mutant]) => mutant);
    await super.teardown();
  }

  handleTestEvent({ name, test, hook }) {
    const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
    if (mutant === undefined) {
      if (name === 'test_done') this.keepMet();
    } else if (name === 'hook_start') {
      // Not by `allow`, which would give the test around it this time, too.
      hook.timeout = limitMsOf(this.shown?.loadMs ?? 0);
    } else if (name === 'test_start' && killed === mutant) {
      test.mode = 'skip';
    } else if (name === 'test_start') {
      const { ms, hits } = this.shown?.tests[nameOf(test)] ?? { ms: 0, hits: 0 };
      test.timeout = this.allow(ms);
      if (this.stryker?.hitLimit) Object.assign(this.stryker, { hitCount: 0, hitLimit: TIMES * hits + MORE_HITS });
    } else if (name === 'test_done') {
      this.allow(this.shown?.loadMs ?? 0);
      if (test.errors.length > 0) killed = mutant;
    }
  }

  /** Gives what took so long without a mutant the time that it has with one, which it returns, and a little more. */
  allow(ms) {
    const limitMs = limitMsOf(ms);
    endIn(limitMs + LATER_MS, this.rootDir, process.env.__STRYKER_ACTIVE_MUTANT__);
    return limitMs;
  }

  keepMet() {
    const { currentTestId, mutantCoverage } = this.stryker ?? {};
    const counts = mutantCoverage?.perTest[currentTestId] ?? {};
    const hits = Object.values(counts).reduce((a, b) => Math.max(a, b), 0);
    met.get(this.path).tests[currentTestId] = { hits, met: Object.keys(counts) };
  }
}

const limitMsOf = (ms) => TIMES * ms + MORE_MS;

/** As Jest reports it. */
const nameOf = ({ parent, name }) => (parent ? `${nameOf(parent)} ${name}`.trimStart() : '');
