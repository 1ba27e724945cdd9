/** The order of a run, in which no processor is left without work: neither beside what waits for pages, nor at the end. */
import Sequencer from '@jest/test-sequencer';

/** About how many seconds files take that take longer than others, on two processors. */
const SECONDS = {
  'e2e/portal/requests': 36,
  'e2e/portal/usage': 32,
  'e2e/portal/pages': 30,
  'e2e/portal/states': 30,
  'e2e/portal/key': 25,
  'e2e/portal/team': 23,
  'e2e/portal/docs': 20,
  'e2e/portal/hostile-names': 14,
  'e2e/portal/profile': 13,
  'e2e/portal/cross-site': 11,
  'e2e/portal/reader': 10,
  'e2e/portal/audit': 8,
  'e2e/portal/journey': 6,
  'e2e/start': 20,
  'e2e/synth': 18,
  'handlers/faults': 18,
  'e2e/smoke': 17,
  'e2e/concurrency': 14,
  'portal/faults': 14,
  'e2e/smoke-portal': 12,
  'portal/authority': 12,
  'portal/crash-points': 11,
  'e2e/deploy': 11,
  'e2e/examples': 9,
  'portal/export': 9,
  'portal/journey': 9,
  'property/model': 8,
  'e2e/docs-samples': 8,
  'e2e/portal-start': 8,
  'handlers/crash-points': 8,
  'portal/races': 8,
};
const OTHERS_SECONDS = 3;

const nameOf = ({ path }) => path.replace(/^.*\/test\/(.*)\.test\.ts$/, '$1');
const secondsOf = (test) => SECONDS[nameOf(test)] ?? OTHERS_SECONDS;
/** In a browser a file waits for half of its time. */
const isInBrowser = (test) => nameOf(test).startsWith('e2e/portal/');
/** Of three workers two go on with others meanwhile. */
const OTHERS_BESIDE = 2;

export default class Balanced extends Sequencer {
  /** One in a browser after the other, and the longest first. What takes as long as others is in jest's own order. */
  async sort(tests) {
    const longestFirst = (await super.sort(tests)).toSorted((a, b) => secondsOf(b) - secondsOf(a));
    const others = longestFirst.filter((test) => !isInBrowser(test));
    const order = [];
    for (const test of longestFirst.filter(isInBrowser)) {
      order.push(test);
      for (let seconds = OTHERS_BESIDE * secondsOf(test); seconds > 0 && others.length > 0;) {
        const beside = others.shift();
        order.push(beside);
        seconds -= secondsOf(beside);
      }
    }
    return [...order, ...others];
  }
}
