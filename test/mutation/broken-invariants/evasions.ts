import type { BrokenBy } from './invariant.ts';

const CHAIN = 'of a chain of rotations two keys work at most:';

/** Ways around a limit, or to another's id or invitation, that an attack has found. */
export const EVASIONS: BrokenBy = {
  'test/portal/idempotency.test.ts': {
    'an Idempotency-Key that was used for another creation is refused, and nothing is made: a project': [
      ['stored.fingerprint === fingerprint', 'stored.fingerprint !== undefined'],
    ],
    'no id of what is made can be found out from the Idempotency-Key and the person': [
      ["(text) => keyedHash(secret, 'derived id', [text])", 'sha256'],
    ],
    'a refusal for an Idempotency-Key counts as a change': [
      ["...(['IDEMPOTENCY_CONFLICT', 'CHANGED_MEANWHILE'] as const),", "...(['CHANGED_MEANWHILE'] as const),"],
    ],
  },
  'test/portal/used-limits.test.ts': {
    'who deletes their profile and signs in again as the same person has created as many accounts as before, for 90 days':
      [
        ['...(await leavesRemainder(store, { userId, identityHash }, accountsCreated ?? 0)),', ''],
        ['remainder !== undefined && nowSeconds < remainder.ttl', 'remainder !== undefined'],
      ],
    'who deletes their profile and signs in again as the same person has made as many changes in this minute as before':
      [['return usedUnder(newest, identityHash);', 'return usedUnder(newest, userId);']],
    'a person signs in so often in a minute and no more at once, also as who has deleted their profile; what goes beyond begins and ends nothing':
      [['await countedSignIn(store, { userId: user.userId, identityHash: hashOf(identity) }, perMinute),', '']],
  },
  'test/accounts/used-limits.test.ts': {
    'what a person has used of their limits is counted under a hash that takes the secret of the stage, another one for each':
      [["keyedHash(secret, 'use of limits', [identityHash]).toString('hex')", 'identityHash']],
    'what a person has used of their limits is found again after a change of the secret, while the older one is known':
      [['const keys = secrets.map(', 'const keys = secrets.slice(0, 1).map(']],
    'what a person has used of their limits is taken over once, by the person who signs in first, also during another deletion':
      [['changes: keys.map((key, i) => taken(store, key, found[i])),', 'changes: [],']],
  },
  'test/portal/made-projects.test.ts': {
    'of the projects of an account so many are made in a period, closed ones included, and no more, also at once': [
      ['...madeInPeriod(store, accountId, quotaPeriod),', ''],
    ],
    'of the projects of an account as many again are made in the next period, which is a day where the stage says so': [
      ['periodAt(store.clock.now(), quotaPeriod)', "periodAt(store.clock.now(), 'month')", 'madeInPeriod'],
    ],
  },
  'test/portal/permissions.test.ts': {
    'its start makes of its environment what serves a person who is signed in': [
      ['projectsPerPeriod: open * PROJECTS_MADE_TO_OPEN', 'projectsPerPeriod: PROJECTS_MADE_TO_OPEN'],
    ],
  },
  'test/portal/rotations.test.ts': {
    [`${CHAIN} while the predecessor is in its grace, a rotation is refused unless it names it, and then ends it`]: [
      ['...(ended ? await endedNow(store, accountId, ended) : []),', ''],
      ['if (predecessor && predecessor.keyId !== ends) throw', 'if (predecessor && predecessor.keyId === keyId) throw'],
      ['predecessor.keyId !== ends', 'ends === undefined'],
    ],
    'at most twice the keys that may be active work, also where each is rotated and its successor revoked': [
      ['if (!predecessor) return', 'if (predecessor !== null) return'],
    ],
  },
  'test/accounts/key-chains.test.ts': {
    'a key in its grace that is revoked while its successor is revoked leaves what is true': [
      ['sets: predecessor }), asItIs(store, predecessor)]', 'sets: predecessor })]'],
    ],
    'a key in its grace whose successor is revoked while it gets another end has that end in its place': [
      ['return [...moves, asItIs(store, successor)];', 'return moves;'],
    ],
  },
};
