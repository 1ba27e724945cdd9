/** The order of a run. Browser tests wait half of the time, so they run one after the other, beside other tests. */
import Sequencer from '@jest/test-sequencer';

const isInBrowser = ({ path }) => path.includes('/test/e2e/portal/');
/** It waits for time-outs, longer than any other file runs. So it starts first, or a run would end with it alone. */
const isLongest = ({ path }) => path.endsWith('/test/e2e/clients/networks.test.ts');
/** After the tests on mocks, which name a fault sooner. */
const isCondition = ({ context }) => context.config.displayName?.name === 'conditions';

export default class Balanced extends Sequencer {
  /** Both kinds keep the order of jest: slow files of the last run first, then large ones. */
  async sort(tests) {
    const order = await super.sort(tests);
    const inBrowser = order.filter(isInBrowser);
    const others = order.filter((test) => !isInBrowser(test) && !isLongest(test));
    others.sort((one, other) => Number(isCondition(one)) - Number(isCondition(other)));
    const beside = Math.floor(others.length / Math.max(1, inBrowser.length));
    return [...order.filter(isLongest), ...inBrowser.flatMap((test) => [test, ...others.splice(0, beside)]), ...others];
  }
}
