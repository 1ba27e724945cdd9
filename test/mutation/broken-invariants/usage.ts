import { among, type Invariant } from './invariant.ts';

const ROLLUPS = 'test/usage/rollups.test.ts';
const LATE =
  'what is kept is right an event that is written as late as can be is in, and so is one of a clock that is ahead';

/** Shown and exported usage equals the events. */
export const USAGE: readonly Invariant[] = [
  ...among(ROLLUPS, [
    [
      'what was summed whole stays',
      'attribute_not_exists(#upTo) OR #upTo < :upTo$',
      'attribute_not_exists(#upTo) OR #upTo < :upTo OR #upTo >= :upTo$',
      'what is kept is right whichever is written last: what came further stays, and what is summed whole stays as it is',
    ],
  ]),
  ...among(ROLLUPS, [
    [
      'a stretch is closed when no event can come any more',
      'closesAfterMs: 3 * MS_PER_MINUTE',
      'closesAfterMs: 0',
      LATE,
    ],
  ]),
  ...among(ROLLUPS, [
    [
      'no event is summed twice',
      'for (const event of page.value.items) if (event.sk > position) tallies.add(event);',
      'for (const event of page.value.items) tallies.add(event);',
      'usage is not summed twice an answer without time goes on from the event that the one before came to, whoever asks',
    ],
    [
      'a sum that may lack refusals says so',
      'startMs < nowMs - FREE_EVENTS_WHOLE_MS',
      'startMs < nowMs - 400 * MS_PER_DAY',
      'what is kept is right of refusals and replays, which go after 30 days, or it says that they may be missing',
    ],
  ]),
  ...among('test/portal/key-page.test.ts', [
    [
      'requests before a rotation do not count since it',
      'countFirst(store, of, { sinceMs: rotatedMs, untilMs: partMs })',
      'countFirst(store, of, { sinceMs: startOf(PART, rotatedMs), untilMs: partMs })',
      'the page of a key counts the requests of a replaced key since its rotation, to the request, as long as its grace lasts',
    ],
  ]),
  ...among('test/portal/events.test.ts', [
    [
      'what is kept no longer is not told',
      "['#ttl > :now',",
      "['(#ttl > :now OR #ttl <= :now)',",
      'events that are kept no longer are not shown, though the table has them',
    ],
    [
      'of a refusal without an event the answer says so',
      'maybeThinned: thinned.length > 0',
      'maybeThinned: false',
      'of a refusal whose minute has kept one before it the answer says that it may have no event',
    ],
  ]),
  ...among('test/usage/log.test.ts', [
    [
      'a refusal is found by its id, though it is stored at the start of its minute',
      'const thinned = await readThinned(store, projectId, {}, sk);',
      'const thinned = await readBetween(store, projectId, {}, [sk, sk]);',
      'one event is found by the id of its request of a refusal before admission, in one more query of its minute; a later one has none',
    ],
  ]),
  ...among('test/portal/requests.test.ts', [
    [
      'each fifty projects that are looked at count as a read',
      'if (i > 0) await countRead(store);',
      '',
      'of many projects fifty at a time are looked at, each of which counts as a read',
    ],
    [
      'no request of a closed project is found',
      'if (closedAt !== undefined) continue;',
      '',
      'a request is found by its id alone and not in others, nor in one that is closed, nor once it has expired; the calls are as for nobody’s',
    ],
  ]),
  ...among('test/portal/charges.test.ts', [
    [
      'a charge is told from one state of the ledger',
      'if (key.sk === known?.sk) {',
      'if (known) {',
      'whether a request was charged of the record that is there when both are read, though another one was there before',
    ],
  ]),
  ...among('test/core/usage-export.test.ts', [
    ['a cell is no formula', 'escape_formulas: true,', '', 'CSV takes the formula out of "=1+1"'],
    [
      'a cell is no formula behind a line feed',
      "text.startsWith('\\n') ? `'${text}` : text",
      'text',
      'CSV is one row with as many cells as any, whatever a reader takes for the end of a line: "\\n=1\\r\\nb"',
    ],
  ]),
];
