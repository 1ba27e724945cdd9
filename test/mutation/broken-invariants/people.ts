import { among, type Invariant } from './invariant.ts';

const SESSIONS = 'test/portal/sessions.test.ts';
const SIGN_IN = 'test/portal/sign-in.test.ts';
const PROFILE = 'test/accounts/profile.test.ts';
const INVITATIONS = 'test/accounts/invitations.test.ts';

/** People: sessions end in time, an invitation belongs to its person, and what a deletion leaves. */
export const PEOPLE: readonly Invariant[] = [
  ...among(SESSIONS, [
    [
      'a session ends without a request',
      'nowMs < lastSeenAtMs + idleMs;',
      'true;',
      'a session ends after two hours without a request',
    ],
    [
      'a session ends at its age in any case',
      `nowMs < expiresAtMs &&
      // The settings may have become shorter since.
      nowMs < createdAtMs + absoluteMs &&`,
      '',
      'a session ends after twelve hours in any case',
    ],
    [
      'a session ends at the age that is set by now',
      'nowMs < createdAtMs + absoluteMs &&',
      '',
      'a session ends at the shorter of the two ages that were set when it began and are set now',
    ],
    [
      'a session ends at the age that was set when it began',
      'nowMs < expiresAtMs &&',
      '',
      'a session ends at the shorter of the two ages that were set when it began and are set now',
      'isAlive',
    ],
    [
      'a sign-out everywhere ends all sessions',
      'sessionsSince === user.sessionsSince &&',
      '',
      'a sign-out everywhere ends all sessions of the person, and none that begins then',
    ],
    [
      'a session that has ended is not revived',
      "'#lastSeenAtMs < :now'",
      "'attribute_not_exists(#lastSeenAtMs) OR #lastSeenAtMs < :now'",
      'a session that ended while a request was noted stays ended',
    ],
  ]),
  ...among(SIGN_IN, [
    [
      'of a session only a hash is stored',
      "const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');",
      'const hashOf = (secret: string): string => secret;',
      'a sign-in stores of the session no more than the hash of its secret',
    ],
  ]),
  ...among(SESSIONS, [
    [
      'sessions end at once by no clock',
      'Math.max(nowMs, earlier === undefined ? 0 : Date.parse(earlier) + 1)',
      'nowMs',
      'a sign-out everywhere ends all sessions of the person, and none that begins then',
    ],
  ]),
  ...among('test/portal/session-races.test.ts', [
    [
      'who is signed out everywhere meanwhile ends no sessions',
      'seen: { sessionsSince }, after });',
      'seen: {}, after });',
      'of two sign-outs everywhere one ends all sessions, and the other is told that its own had ended',
    ],
  ]),
  ...among(SESSIONS, [
    [
      'of a person’s sessions those stay that are used',
      '(one.lastSeenAtMs || 0) - (other.lastSeenAtMs || 0))\n    .slice',
      'one.createdAtMs - other.createdAtMs)\n    .slice',
      'a person has fifty sessions at most with one more the one ends that was not seen for longest',
    ],
    [
      'of a session’s secret nothing is told',
      "generateSessionId(bytesOf(['session', secretHash]))",
      '`ses_${secretHash.slice(-16)}`',
      'one’s sessions tell nothing of what it takes to use them, nor of the hash of that',
    ],
  ]),
  ...among(SIGN_IN, [
    [
      'a sign-in ends the session that the browser had',
      '...(earlier ? [earlier] : []).concat(makeRoom(others))',
      '...makeRoom(others)',
      'a sign-in ends the session that the browser had before, also another person’s',
    ],
    [
      'a person is found by what the provider calls them, not by an address',
      "const hashOf = ({ issuer, subject }: Identity): string =>\n  createHash('sha256').update(`${issuer}\\n${subject}`)",
      "const hashOf = ({ issuer, email }: Identity): string =>\n  createHash('sha256').update(`${issuer}\\n${email}`)",
      'a sign-in finds a person again by what the provider calls them, in whatever way they write their address',
    ],
    [
      'two first sign-ins make one person',
      'create(store, { ...userItemKey.identity(identityHash), userId }, stale),',
      `{ write: { Put: { TableName: store.tables.gateway, Item: { ...userItemKey.identity(identityHash), userId } } } },`,
      'a sign-in for the first time, overtaken by another of the same person, makes one person',
    ],
  ]),
  ...among(SESSIONS, [
    [
      'of many sign-ins at once each makes room',
      'seen: { sessionsSince, lastSignIn }, after',
      'seen: { sessionsSince }, after',
      'a person has fifty sessions at most also of many that begin at once, and of more from before there was a bound',
    ],
  ]),
  ...among('test/portal/provider.test.ts', [
    [
      'what another provider calls a person is another person',
      '`${issuer}\\n${subject}`',
      'subject',
      'an ID token of another provider names another person, whatever it calls them',
    ],
  ]),
  ...among(INVITATIONS, [
    [
      'an invitation is for a verified address',
      "'#email = :email AND #emailVerified = :true'",
      "'#email = :email AND (#emailVerified = :true OR attribute_exists(#email))'",
      'an invitation is for a verified address, and for no other',
    ],
    [
      'an invitation is used once',
      `usedInvitation(store, invitation, person),
      ...unlistInvitation(store, accountId, member),
      moveCounts(store, accountId, { by: { activeMembers: 1`,
      '...unlistInvitation(store, accountId, member), moveCounts(store, accountId, { by: { activeMembers: 1',
      'an invitation accepted before is answered again, as it is by then',
    ],
    [
      'who accepts gets the role of that moment',
      'seen: { status, role, userId: undefined },',
      'seen: { status, userId: undefined },',
      'an invitation whose role is changed while it is being accepted gives the role that it has then',
    ],
  ]),
  ...among('test/accounts/members.test.ts', [
    [
      'who joins meanwhile is not invited',
      'seen: { activeMembers },',
      '',
      'a member is not invited who is a member, also when the address joins meanwhile',
    ],
  ]),
  ...among(INVITATIONS, [
    [
      'an invitation is for an address in any case of its letters',
      'replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())',
      'replaceAll(/[A-Z]/g, (letter) => letter)',
      'an invitation is for an address in any case of its letters from A to Z',
    ],
    [
      'no key of an item is an address',
      "createHash('sha256').update(foldedAddress(email)).digest('hex')",
      'foldedAddress(email)',
      'an invitation is found by its address, and makes a member of who accepts it',
    ],
  ]),
  ...among(PROFILE, [
    [
      'a profile that is deleted leads to nobody',
      'deleteItem(store, { key: userItemKey.identity(identityHash), what: `User ${userId}`, seen: { userId } }),',
      '',
      'a person who deletes their profile is gone from every account, with an audit event in each, in one transaction',
    ],
    [
      'a profile that is deleted leaves what was joined meanwhile',
      'seen: { accountsCreated, accountsJoined, sessionsSince } }),',
      'seen: { accountsCreated, sessionsSince } }),',
      'a profile that is deleted while the person joins another account leaves that one too',
    ],
    [
      'a profile that is deleted leaves no account that was created meanwhile',
      'seen: { accountsCreated, accountsJoined, sessionsSince } }),',
      'seen: { accountsJoined, sessionsSince } }),',
      'a profile that is deleted while the person creates an account stays, for nobody else owns that one',
    ],
    [
      'who is signed out everywhere deletes no profile',
      'seen: { accountsCreated, accountsJoined, sessionsSince } }),',
      'seen: { accountsCreated, accountsJoined } }),',
      'a profile that is deleted while the person is signed out everywhere stays: who is signed out deletes nothing',
    ],
    [
      'a profile that is deleted leaves every account an owner',
      "owners: role === 'owner' ? -1 : 0",
      'owners: 0',
      'a profile that is deleted while the other owner leaves stays: the account keeps an owner',
    ],
  ]),
  ...among('test/portal/profile.test.ts', [
    [
      'a session of nobody holds nothing',
      'if (!session || !user || !isAlive(session, user, nowMs, sessionLimits))',
      'if (!session || !isAlive(session, user ?? session, nowMs, sessionLimits))',
      'a profile whose remains cannot be deleted at once is deleted all the same',
    ],
  ]),
  ...among(SESSIONS, [
    [
      'a timer keeps no session alive',
      'c.req.header(BACKGROUND_HEADER) === undefined && ',
      '',
      'a session is not kept alive by a timer',
    ],
  ]),
  ...among(SESSIONS, [
    [
      'a sign-out ends the session itself',
      'endSession(store, person.reference));',
      'undefined);',
      'a sign-out ends this session, takes its cookie back and leads to the provider’s end of its own',
    ],
  ]),
];
