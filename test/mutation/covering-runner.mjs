/**
 * Runs the tests that meet a mutant until one of them fails, file by file: first those that take the least time for each
 * mutant of the same source that they have killed. Jest would load every file to find the tests that Stryker names, and
 * cannot bail when it is run by a program; and of a mutant that any file meets outside its tests Stryker names none, and
 * has all run that import the source.
 */
import TestRunner from 'jest-runner';
import { dryRun, keepDryRun, keepKill, killsOf } from './dry-run.mjs';
import { metIn } from './first-failure.mjs';

/** dynoxide slows as the tokens of transactions add up, threefold in a quarter of an hour. */
const FILES_PER_ENGINE = 100;
let engine;
let filesOnEngine = 0;

/** Of this process alone, and fresh now and then; it ends with the process. */
async function useEngine() {
  if (engine && filesOnEngine < FILES_PER_ENGINE) return;
  // A mutant may call as it may not.
  await engine?.stop().catch(() => undefined);
  // Not above: what Jest loads meets its transforms, which are for tests.
  const { startEngine } = await import('../support/engine.ts');
  const started = await startEngine(process.env.MUTATION_ENGINE);
  void started.ended.then(() => (engine = engine === started ? undefined : engine));
  engine = started;
  process.env[`TEST_ENDPOINT_${process.env.MUTATION_ENGINE}`] = engine.address.endpoint;
  filesOnEngine = 0;
}

const total = (numbers) => numbers.reduce((sum, each) => sum + each, 0);
const either = (names) => `^(${names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})$`;

export default class CoveringRunner extends TestRunner {
  async runTests(tests, watcher, options) {
    const shown = dryRun(this._globalConfig.rootDir);
    if (shown) await this.runWithMutant(shown, tests, watcher, options);
    else await this.runWithout(tests, watcher, options);
  }

  async runWithout(tests, watcher, options) {
    const files = {};
    this.on('test-file-success', ([{ path }, { testResults, perfStats }]) => {
      const { outside, tests: met } = metIn(path);
      const of = ({ fullName, duration }) => [fullName, { ms: duration ?? 0, hits: 0, met: [], ...met[fullName] }];
      const loadMs = perfStats.runtime - total(testResults.map(({ duration }) => duration ?? 0));
      files[path] = { loadMs, outside, tests: Object.fromEntries(testResults.map(of)) };
    });
    await useEngine();
    filesOnEngine += tests.length;
    await super.runTests(tests, watcher, options);
    keepDryRun(this._globalConfig.rootDir, files);
  }

  async runWithMutant(shown, tests, watcher, options) {
    const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
    const { rootDir, nonFlagArgs } = this._globalConfig;
    const source = nonFlagArgs.join();
    const kills = killsOf(rootDir, source);
    const covering = tests
      .map((test) => {
        const { loadMs, outside, tests: of } = shown[test.path];
        const isOutside = outside.includes(mutant);
        const names = Object.keys(of).filter((name) => isOutside || of[name].met.includes(mutant));
        const ms = loadMs + total(names.map((name) => of[name].ms));
        // A mutant that is met outside may change the names of the tests.
        const testNamePattern = isOutside ? undefined : either(names);
        return { test, names, testNamePattern, msPerKill: ms / (1 + (kills.get(test.path) ?? 0)) };
      })
      .filter(({ names }) => names.length > 0)
      .sort((a, b) => a.msPerKill - b.msPerKill);

    let killedBy;
    this.on('test-file-success', ([{ path }, { numFailingTests }]) => {
      if (numFailingTests > 0) killedBy = path;
    });
    this.on('test-file-failure', ([{ path }]) => (killedBy = path));
    for (const { test, testNamePattern } of covering) {
      await useEngine();
      filesOnEngine++;
      this._globalConfig = { ...this._globalConfig, testNamePattern };
      await super.runTests([test], watcher, options);
      // Whatever the tests say then; Stryker runs the mutant again.
      if (!engine) throw new Error('The engine has ended.');
      if (killedBy !== undefined) break;
    }
    if (killedBy !== undefined) keepKill(rootDir, source, killedBy);
  }
}
