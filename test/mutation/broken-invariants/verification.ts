import { among, type Invariant } from './invariant.ts';

const UNDER_LOAD = 'test/usage/verification-under-load.test.ts';
const BOOKS = 'test/portal/ledger.test.ts';
const TAMPERING = 'test/usage/tampering.test.ts';

/** `ledger verify` says "consistent" only if it is true. */
export const VERIFICATION: readonly Invariant[] = [
  ...among('test/usage/caps.test.ts', [
    [
      'a cap whose counter is wrong is no sound ledger',
      'keys.length === 0 && irregularEvents === undefined',
      'irregularEvents === undefined',
      'the verification of a ledger holds the counter of a cap against the events under it',
    ],
    [
      'a cap is looked for among the events, too',
      '[...before.keys(), ...sums.keys()]',
      'before.keys()',
      'the verification of a ledger finds a counter that is gone, one without events, and an event that names no cap any more',
    ],
  ]),
  ...among(UNDER_LOAD, [
    [
      'what may be a difference is not called none',
      'atLeast === 0 && atMost === 0',
      'atLeast <= 0 && atMost >= 0',
      'while requests are charged a charge of each look hides a removed event: the ledger is not said to be consistent, but undecided',
    ],
    [
      'looks are put together',
      'const atLeast =',
      'looks = looks.slice(-1); const atLeast =',
      'while requests are charged sound books are consistent though each look meets charges at one of its ends',
    ],
    [
      'one look alone does not find events missing',
      'const LOOKS_THAT_AGREE = 3;',
      'const LOOKS_THAT_AGREE = 1;',
      'while requests are charged a charge whose counter is seen before its event is no inconsistency',
    ],
  ]),
  ...among(UNDER_LOAD, [
    [
      'looks count from both ends',
      'looks++ % 2 === 0',
      'looks++ >= 0',
      'while requests are charged of books of many pages one look counts from the newest event on: what is charged meanwhile is not in it',
    ],
    [
      'the counter is read last when it is free',
      'each((itemKey) => readFreeItem(store, itemKey))',
      'each((itemKey) => readItem(store, itemKey))',
      'while requests are charged a charge whose event is seen before its counter is no inconsistency: a counter that is held is read again',
    ],
  ]),
  ...among(TAMPERING, [
    [
      'units are added up by their stored period',
      'item.period === what.period.id && ',
      '',
      'the ledger is not consistent with an event of the period 2030-02',
    ],
    [
      'units that are no number are not added up',
      'Number.isSafeInteger(item.units)',
      'item.units !== undefined',
      'the ledger is not consistent with units that are text: they are not added up',
    ],
  ]),
  ...among(TAMPERING, [
    [
      'an event has the units of its outcome',
      'isCount(units) : units === right',
      'isCount(units) : units === right || Number.isInteger(units)',
      'the ledger is not consistent with a pair of events that cancel each other out',
    ],
    [
      'an event stands in its own place',
      'sk === eventKey(event).sk ||',
      "sk.endsWith('') ||",
      'the ledger is not consistent with an event whose key names another time or another request',
    ],
  ]),
  ...among(TAMPERING, [
    [
      'a request is charged by one event',
      'requests.candidates.size > 0',
      'false',
      'the ledger is not consistent with an event written twice in the place of another, which leaves the sum as it was',
    ],
  ]),
  ...among(BOOKS, [
    [
      'the portal reads what may still get company in each pass',
      'const SETTLED_AFTER_MS = 2 * MS_PER_MINUTE;',
      'const SETTLED_AFTER_MS = -MS_PER_MINUTE;',
      'while requests are charged one charge under way is waited for: a further pass decides, and reads what is still open again',
    ],
    [
      'a difference that the portal sees pages',
      'telemetry.count(PORTAL_METRICS.ledgerDifferences);',
      '',
      'the books of a project are told to differ, in both directions, and that raises the metric that pages',
    ],
  ]),
  ...among(BOOKS, [
    [
      'the portal reads the counter last when it is free',
      '[key, ...listed].map((itemKey) => readFreeItem(store, itemKey))',
      '[key, ...listed].map((itemKey) => readItem(store, itemKey))',
      'while requests are charged a counter that is never free is no difference and no failure, but still counting',
    ],
    [
      'a page bounds what a check reads',
      'if (--pages.left <= 0 && upTo !== undefined) throw new TooManyEvents();',
      '',
      'a check reads only so much of the last minutes: of more it says that it is still counting',
    ],
  ]),
  ...among('test/usage/verification.test.ts', [
    [
      'one project does not stop the verification of all',
      'error instanceof RefusedError || error instanceof StoreBusyError',
      'error instanceof StoreBusyError',
      'the verification of all ledgers finds wrong books among right ones, tells what cannot be verified, and goes on',
    ],
  ]),
  ...among('test/usage/verification.test.ts', [
    [
      'a project that lost its item is found by its counter',
      ' OR begins_with(#sk, :quota) OR',
      ' OR #sk = :quota OR',
      'the verification of all ledgers finds wrong books among right ones, tells what cannot be verified, and goes on',
    ],
  ]),
];
