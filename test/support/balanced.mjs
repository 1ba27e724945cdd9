/** The order of a run. Files in a browser wait for half of their time, so they run one after the other, beside others. */
import Sequencer from '@jest/test-sequencer';

const isInBrowser = ({ path }) => path.includes('/test/e2e/portal/');

export default class Balanced extends Sequencer {
  /** Both kinds are in jest's own order: what took long in the last run, or else is large, comes first. */
  async sort(tests) {
    const order = await super.sort(tests);
    const inBrowser = order.filter(isInBrowser);
    const others = order.filter((test) => !isInBrowser(test));
    const beside = Math.floor(others.length / Math.max(1, inBrowser.length));
    return [...inBrowser.flatMap((test) => [test, ...others.splice(0, beside)]), ...others];
  }
}
