import type { BrokenBy } from './invariant.ts';

/** Shown and exported usage equals the events. */
export const USAGE: BrokenBy = {
  'test/usage/rollups.test.ts': {
    'what is kept is right whichever is written last: what came further stays, and what is summed whole stays as it is':
      [
        [
          'attribute_not_exists(#upTo) OR #upTo < :upTo$',
          'attribute_not_exists(#upTo) OR #upTo < :upTo OR #upTo >= :upTo$',
        ],
      ],
    'what is kept is right an event that is written as late as can be is in, and so is one of a clock that is ahead': [
      ['closesAfterMs: 3 * MS_PER_MINUTE', 'closesAfterMs: 0'],
    ],
    'usage is not summed twice an answer without time continues from the event of the one before, for every caller': [
      [
        'for (const event of page.value.items) if (event.sk > position) tallies.add(event);',
        'for (const event of page.value.items) tallies.add(event);',
      ],
    ],
    'what is kept is right of refusals and replays, which go after 30 days, or it says that they may be missing': [
      ['startMs < nowMs - FREE_EVENTS_WHOLE_MS', 'startMs < nowMs - 400 * MS_PER_DAY'],
    ],
  },
  'test/portal/key-page.test.ts': {
    'the page of a key counts the requests of a replaced key since its rotation, to the request, as long as its grace lasts':
      [
        [
          'countFirst(store, of, { sinceMs: rotatedMs, untilMs: partMs })',
          'countFirst(store, of, { sinceMs: startOf(PART, rotatedMs), untilMs: partMs })',
        ],
      ],
  },
  'test/portal/events.test.ts': {
    'events that are kept no longer are not shown, though the table has them': [
      ["['#ttl > :now',", "['(#ttl > :now OR #ttl <= :now)',"],
    ],
    'of a refusal whose minute has kept one before it the answer says that it may have no event': [
      ['maybeThinned: thinned.length > 0', 'maybeThinned: false'],
    ],
  },
  'test/usage/log.test.ts': {
    'one event is found by the id of its request of a refusal before admission, in one more query of its minute; a later one has none':
      [
        [
          'const thinned = await readThinned(store, projectId, {}, sk);',
          'const thinned = await readBetween(store, projectId, {}, [sk, sk]);',
        ],
      ],
  },
  'test/portal/requests.test.ts': {
    'of many projects fifty at a time are looked at, each of which counts as a read': [
      ['if (i > 0) await countRead(store);', ''],
    ],
    'a request is found by its id alone and not in others, nor in one that is closed, nor once it has expired; the calls are as for nobody’s':
      [['if (closedAt !== undefined) continue;', '']],
  },
  'test/portal/charges.test.ts': {
    'whether a request was charged of the record that is there when both are read, though another one was there before':
      [['if (key.sk === known?.sk) {', 'if (known) {']],
  },
  'test/core/usage-export.test.ts': {
    'CSV takes the formula out of "=1+1"': [['escape_formulas: true,', '']],
    'CSV is one row with as many cells as any, whatever a reader takes for the end of a line: "\\n=1\\r\\nb"': [
      ["text.startsWith('\\n') ? `'${text}` : text", 'text'],
    ],
  },
};
