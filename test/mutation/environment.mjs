/**
 * The environment for a mutant: the first failure has found it, so no other test of its run starts. Stryker cannot ask
 * jest for this (`bail`), and ten times as many tests would run.
 */
import Environment from '../support/environment.mjs';

let foundMutant;

export default class MutantEnvironment extends Environment {
  async handleTestEvent(event) {
    const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
    if (mutant === undefined) return;
    if (event.name === 'test_done' && event.test.errors.length > 0) foundMutant = mutant;
    if (foundMutant !== mutant) return;
    if (event.name === 'run_describe_start') event.describeBlock.mode = 'skip';
    if (event.name === 'test_start') event.test.mode = 'skip';
  }
}
