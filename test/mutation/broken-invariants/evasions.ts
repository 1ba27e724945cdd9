import { among, type Invariant } from './invariant.ts';

const IDEMPOTENCY = 'test/portal/idempotency.test.ts';
const QUOTA = 'test/portal/made-projects.test.ts';
const ROTATIONS = 'test/portal/rotations.test.ts';
const CHAIN = 'of a chain of rotations two keys work at most:';
const USED_LIMITS = 'test/portal/used-limits.test.ts';

/** Ways around a limit, or to another's id or invitation, that an attack has found. */
export const EVASIONS: readonly Invariant[] = [
  ...among(IDEMPOTENCY, [
    [
      'an Idempotency-Key is of one request',
      'stored.fingerprint === fingerprint',
      'stored.fingerprint !== undefined',
      'an Idempotency-Key that was used for another creation is refused, and nothing is made: a project',
    ],
    [
      'nobody chooses an id by choosing an Idempotency-Key',
      "(text) => keyedHash(secret, 'derived id', [text])",
      'sha256',
      'no id of what is made can be found out from the Idempotency-Key and the person',
    ],
  ]),
  ...among(IDEMPOTENCY, [
    [
      'a refusal for an Idempotency-Key counts',
      "...(['IDEMPOTENCY_CONFLICT', 'CHANGED_MEANWHILE'] as const),",
      "...(['CHANGED_MEANWHILE'] as const),",
      'a refusal for an Idempotency-Key counts as a change',
    ],
  ]),
  ...among(USED_LIMITS, [
    [
      'accounts that were created stay created when the profile is deleted',
      '...(await leavesRemainder(store, { userId, identityHash }, accountsCreated ?? 0)),',
      '',
      'who deletes their profile and signs in again as the same person has created as many accounts as before, for 90 days',
    ],
  ]),
  ...among(USED_LIMITS, [
    [
      'changes of a minute stay made when the profile is deleted',
      'return usedUnder(newest, identityHash);',
      'return usedUnder(newest, userId);',
      'who deletes their profile and signs in again as the same person has made as many changes in this minute as before',
    ],
    [
      'of who has gone nothing is kept for longer than told',
      'remainder !== undefined && nowSeconds < remainder.ttl',
      'remainder !== undefined',
      'who deletes their profile and signs in again as the same person has created as many accounts as before, for 90 days',
    ],
  ]),
  ...among('test/accounts/used-limits.test.ts', [
    [
      'what is left of who has gone tells nobody who it was',
      "keyedHash(secret, 'use of limits', [identityHash]).toString('hex')",
      'identityHash',
      'what a person has used of their limits is counted under a hash that takes the secret of the stage, another one for each',
    ],
    [
      'a change of the secret gives nobody other limits',
      'const keys = secrets.map(',
      'const keys = secrets.slice(0, 1).map(',
      'what a person has used of their limits is found again after a change of the secret, while the older one is known',
    ],
    [
      'what is left of who has gone is taken over once',
      'changes: keys.map((key, i) => taken(store, key, found[i])),',
      'changes: [],',
      'what a person has used of their limits is taken over once, by whoever signs in first and while another deletion is on its way',
    ],
  ]),
  ...among(QUOTA, [
    [
      'projects that are closed and made anew have no more quota than the limit says',
      '...madeInPeriod(store, accountId, quotaPeriod),',
      '',
      'of the projects of an account so many are made in a period, closed ones included, and no more, also at once',
    ],
    [
      'a period of the stage is what projects are counted in',
      'periodAt(store.clock.now(), quotaPeriod)',
      "periodAt(store.clock.now(), 'month')",
      'of the projects of an account as many again are made in the next period, which is a day where the stage says so',
      'madeInPeriod',
    ],
  ]),
  ...among('test/portal/permissions.test.ts', [
    [
      'twice the projects that may be open may be made in a period, where nothing else is set',
      'projectsPerPeriod: open * PROJECTS_MADE_TO_OPEN',
      'projectsPerPeriod: PROJECTS_MADE_TO_OPEN',
      'its start makes of its environment what serves a person who is signed in',
    ],
  ]),
  ...among(ROTATIONS, [
    [
      'a predecessor that a rotation names ends with it',
      '...(ended ? await endedNow(store, accountId, ended) : []),',
      '',
      `${CHAIN} while the predecessor is in its grace, a rotation is refused unless it names it, and then ends it`,
    ],
  ]),
  ...among(ROTATIONS, [
    [
      'of a chain of rotations two keys work at most',
      'if (predecessor && predecessor.keyId !== ends) throw',
      'if (predecessor && predecessor.keyId === keyId) throw',
      `${CHAIN} while the predecessor is in its grace, a rotation is refused unless it names it, and then ends it`,
    ],
    [
      'a rotation ends no key but the predecessor',
      'predecessor.keyId !== ends',
      'ends === undefined',
      `${CHAIN} while the predecessor is in its grace, a rotation is refused unless it names it, and then ends it`,
    ],
    [
      'a key in its grace takes the place of a successor that is revoked',
      'if (!predecessor) return',
      'if (predecessor !== null) return',
      'at most twice the keys that may be active work, also where each is rotated and its successor revoked',
    ],
  ]),
  ...among('test/accounts/key-chains.test.ts', [
    [
      'a key that is revoked meanwhile takes no place',
      'sets: predecessor }), asItIs(store, predecessor)]',
      'sets: predecessor })]',
      'a key in its grace that is revoked while its successor is revoked leaves what is true',
    ],
    [
      'a key that takes a place meanwhile has there the end that it gets',
      'return [...moves, asItIs(store, successor)];',
      'return moves;',
      'a key in its grace whose successor is revoked while it gets another end has that end in its place',
    ],
  ]),
  ...among(USED_LIMITS, [
    [
      'a person signs in so often in a minute and no more',
      'await countedSignIn(store, { userId: user.userId, identityHash: hashOf(identity) }, perMinute),',
      '',
      'a person signs in so often in a minute and no more at once, also as who has deleted their profile; what goes beyond begins and ends nothing',
    ],
  ]),
];
