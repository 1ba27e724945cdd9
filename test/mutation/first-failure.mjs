/** Skips what is left once a test has failed: a mutant is killed once. Jest cannot bail when it is run by a program. */
import { TestEnvironment } from 'jest-environment-node';

let killed;

export default class FirstFailure extends TestEnvironment {
  handleTestEvent(event) {
    const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
    if (mutant === undefined) return;
    if (event.name === 'test_start' && killed === mutant) event.test.mode = 'skip';
    if (event.name === 'test_done' && event.test.errors.length > 0) killed = mutant;
  }
}
