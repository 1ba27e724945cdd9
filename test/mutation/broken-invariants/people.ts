import type { BrokenBy } from './invariant.ts';

/** People: sessions end in time, an invitation belongs to its person, and what a deletion leaves. */
export const PEOPLE: BrokenBy = {
  'test/portal/sessions.test.ts': {
    'a session ends after two hours without a request': [['nowMs < lastSeenAtMs + idleMs;', 'true;']],
    'a session ends after twelve hours in any case': [
      [
        `nowMs < expiresAtMs &&
      // The settings may have become shorter since.
      nowMs < createdAtMs + absoluteMs &&`,
        '',
      ],
    ],
    'a session ends at the shorter of the two ages that were set when it began and are set now': [
      ['nowMs < createdAtMs + absoluteMs &&', ''],
      ['nowMs < expiresAtMs &&', '', 'isAlive'],
    ],
    'a sign-out everywhere ends all sessions of the person, and none that begins then': [
      ['sessionsSince === user.sessionsSince &&', ''],
      ['Math.max(nowMs, earlier === undefined ? 0 : Date.parse(earlier) + 1)', 'nowMs'],
    ],
    'a session that ended while a request was noted stays ended': [
      ["'#lastSeenAtMs < :now'", "'attribute_not_exists(#lastSeenAtMs) OR #lastSeenAtMs < :now'"],
    ],
    'a person has fifty sessions at most with one more the one ends that was not seen for longest': [
      [
        '(one.lastSeenAtMs || 0) - (other.lastSeenAtMs || 0))\n    .slice',
        'one.createdAtMs - other.createdAtMs)\n    .slice',
      ],
    ],
    'one’s sessions tell nothing of what it takes to use them, nor of the hash of that': [
      ["generateSessionId(bytesOf(['session', secretHash]))", '`ses_${secretHash.slice(-16)}`'],
    ],
    'a person has fifty sessions at most also of many that begin at once, and of more from before there was a bound': [
      ['seen: { sessionsSince, lastSignIn }, after', 'seen: { sessionsSince }, after'],
    ],
    'a session is not kept alive by a timer': [['c.req.header(BACKGROUND_HEADER) === undefined && ', '']],
    'a sign-out ends this session, takes its cookie back and leads to the provider’s end of its own': [
      ['endSession(store, person.reference));', 'undefined);'],
    ],
  },
  'test/portal/sign-in.test.ts': {
    'a sign-in stores of the session no more than the hash of its secret': [
      [
        "const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');",
        'const hashOf = (secret: string): string => secret;',
      ],
    ],
    'a sign-in ends the session that the browser had before, also another person’s': [
      ['...(earlier ? [earlier] : []).concat(makeRoom(others))', '...makeRoom(others)'],
    ],
    'a sign-in finds a person again by what the provider calls them, in whatever way they write their address': [
      [
        "const hashOf = ({ issuer, subject }: Identity): string =>\n  createHash('sha256').update(`${issuer}\\n${subject}`)",
        "const hashOf = ({ issuer, email }: Identity): string =>\n  createHash('sha256').update(`${issuer}\\n${email}`)",
      ],
    ],
    'a sign-in for the first time, overtaken by another of the same person, makes one person': [
      [
        'create(store, { ...userItemKey.identity(identityHash), userId }, stale),',
        `{ write: { Put: { TableName: store.tables.gateway, Item: { ...userItemKey.identity(identityHash), userId } } } },`,
      ],
    ],
  },
  'test/portal/session-races.test.ts': {
    'of two sign-outs everywhere one ends all sessions, and the other learns that its own had ended': [
      ['seen: { sessionsSince }, after });', 'seen: {}, after });'],
    ],
  },
  'test/portal/provider.test.ts': {
    'an ID token of another provider names another person, whatever it calls them': [
      ['`${issuer}\\n${subject}`', 'subject'],
    ],
  },
  'test/accounts/invitations.test.ts': {
    'an invitation is for a verified address, and for no other': [
      [
        "'#email = :email AND #emailVerified = :true'",
        "'#email = :email AND (#emailVerified = :true OR attribute_exists(#email))'",
      ],
    ],
    'an invitation accepted before is answered again, as it is by then': [
      [
        `usedInvitation(store, invitation, person),
      ...unlistInvitation(store, accountId, member),
      moveCounts(store, accountId, { by: { activeMembers: 1`,
        '...unlistInvitation(store, accountId, member), moveCounts(store, accountId, { by: { activeMembers: 1',
      ],
    ],
    'an invitation whose role is changed while it is being accepted gives the role that it has then': [
      ['seen: { status, role, userId: undefined },', 'seen: { status, userId: undefined },'],
    ],
    'an invitation is for an address in any case of its letters from A to Z': [
      ['replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())', 'replaceAll(/[A-Z]/g, (letter) => letter)'],
    ],
    'an invitation is found by its address, and makes a member of who accepts it': [
      ["createHash('sha256').update(foldedAddress(email)).digest('hex')", 'foldedAddress(email)'],
    ],
  },
  'test/accounts/members.test.ts': {
    'a member is not invited who is a member, also when the address joins meanwhile': [
      ['seen: { activeMembers },', ''],
    ],
  },
  'test/accounts/profile.test.ts': {
    'a person who deletes their profile is gone from every account, with an audit event in each, in one transaction': [
      ['deleteItem(store, { key: userItemKey.identity(identityHash), what: `User ${userId}`, seen: { userId } }),', ''],
    ],
    'a profile that is deleted while the person joins another account leaves that one too': [
      ['seen: { accountsCreated, accountsJoined, sessionsSince } }),', 'seen: { accountsCreated, sessionsSince } }),'],
    ],
    'a profile that is deleted while the person creates an account stays, for nobody else owns that one': [
      ['seen: { accountsCreated, accountsJoined, sessionsSince } }),', 'seen: { accountsJoined, sessionsSince } }),'],
    ],
    'a profile that is deleted while the person is signed out everywhere stays: who is signed out deletes nothing': [
      ['seen: { accountsCreated, accountsJoined, sessionsSince } }),', 'seen: { accountsCreated, accountsJoined } }),'],
    ],
    'a profile that is deleted while the other owner leaves stays: the account keeps an owner': [
      ["owners: role === 'owner' ? -1 : 0", 'owners: 0'],
    ],
  },
  'test/portal/profile.test.ts': {
    'a profile whose remains cannot be deleted at once is deleted all the same': [
      [
        'if (!session || !user || !isAlive(session, user, nowMs, sessionLimits))',
        'if (!session || !isAlive(session, user ?? session, nowMs, sessionLimits))',
      ],
    ],
  },
};
