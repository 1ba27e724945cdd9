import type { BrokenBy } from './invariant.ts';

/** `ledger verify` says "consistent" only if it is true. */
export const VERIFICATION: BrokenBy = {
  'test/usage/caps.test.ts': {
    'the verification of a ledger holds the counter of a cap against the events under it': [
      ['keys.length === 0 && irregularEvents === undefined', 'irregularEvents === undefined'],
    ],
    'the verification of a ledger finds a counter that is gone, one without events, and an event that names no cap any more':
      [['[...before.keys(), ...sums.keys()]', 'before.keys()']],
  },
  'test/usage/verification-under-load.test.ts': {
    'while requests are charged a charge of each look hides a removed event: the ledger is not said to be consistent, but undecided':
      [['atLeast === 0 && atMost === 0', 'atLeast <= 0 && atMost >= 0']],
    'while requests are charged sound books are consistent though each look meets charges at one of its ends': [
      ['const atLeast =', 'looks = looks.slice(-1); …'],
    ],
    'while requests are charged a charge whose counter is seen before its event is no inconsistency': [
      ['const LOOKS_THAT_AGREE = 3;', 'const LOOKS_THAT_AGREE = 1;'],
    ],
    'while requests are charged of books of many pages one look counts from the newest event on: what is charged meanwhile is not in it':
      [['looks++ % 2 === 0', 'looks++ >= 0']],
    'while requests are charged a charge whose event is seen before its counter is no inconsistency: a counter that is held is read again':
      [['each((itemKey) => readFreeItem(store, itemKey))', 'each((itemKey) => readItem(store, itemKey))']],
  },
  'test/usage/tampering.test.ts': {
    'the ledger is not consistent with an event of the period 2030-02': [['item.period === what.period.id && ', '']],
    'the ledger is not consistent with units that are text: they are not added up': [
      ['Number.isSafeInteger(item.units)', 'item.units !== undefined'],
    ],
    'the ledger is not consistent with a pair of events that cancel each other out': [
      ['isCount(units) : units === right', '… || Number.isInteger(units)'],
    ],
    'the ledger is not consistent with an event whose key names another time or another request': [
      ['sk === eventKey(event).sk ||', "sk.endsWith('') ||"],
    ],
    'the ledger is not consistent with an event written twice in the place of another, which leaves the sum as it was':
      [['requests.candidates.size > 0', 'false']],
  },
  'test/portal/ledger.test.ts': {
    'while requests are charged one charge under way is waited for: a further pass decides, and reads what is still open again':
      [['const SETTLED_AFTER_MS = 2 * MS_PER_MINUTE;', 'const SETTLED_AFTER_MS = -MS_PER_MINUTE;']],
    'the books of a project are reported to differ, in both directions, and that raises the metric that pages': [
      ['telemetry.count(PORTAL_METRICS.ledgerDifferences);', ''],
    ],
    'while requests are charged a counter that is never free is no difference and no failure, but still counting': [
      [
        '[key, ...listed].map((itemKey) => readFreeItem(store, itemKey))',
        '[key, ...listed].map((itemKey) => readItem(store, itemKey))',
      ],
    ],
    'a check reads only so much of the last minutes: of more it says that it is still counting': [
      ['if (--pages.left <= 0 && upTo !== undefined) throw new TooManyEvents();', ''],
    ],
  },
  'test/usage/verification.test.ts': {
    'the verification of all ledgers finds wrong ledgers among right ones, reports what cannot be verified, and continues':
      [
        ['error instanceof RefusedError || error instanceof StoreBusyError', 'error instanceof StoreBusyError'],
        [' OR begins_with(#sk, :quota) OR', ' OR #sk = :quota OR'],
      ],
  },
};
