import { among, type Invariant } from './invariant.ts';

const KEY_PAGES = 'test/accounts/key-pages.test.ts';
const AUTHORITY = 'test/accounts/authority.test.ts';
const LIMITS = 'test/accounts/limits.test.ts';
const CLOSING = 'test/accounts/closing.test.ts';
const LOST_ANSWERS = 'test/accounts/lost-answers.test.ts';
const AUDIT = 'test/accounts/audit.test.ts';

const COUNTED =
  'of the changes of a person what changes nothing counts, and so do refusals that are not for authority; these do not';

/** What people and the platform team create, change and end. */
export const ACCOUNTS: readonly Invariant[] = [
  ...among(AUTHORITY, [
    [
      "a member's removal holds also against a change in flight",
      "authority === 'person' ? [] : [membershipCheck(store, authority)]",
      '[]',
      'to create a project takes a member, also while the change is on its way',
    ],
    [
      'what owners may do takes an owner',
      "' AND #role = :owner'",
      "' AND attribute_exists(#role) AND :owner = :owner'",
      'to close a project takes an owner, also while the change is on its way',
    ],
  ]),
  ...among('test/accounts/members.test.ts', [
    [
      'the last active owner stays',
      "return [[name, '>', 1]];",
      "return [[name, '>', 0]];",
      'the last active owner of an account stays when two owners remove at once',
    ],
  ]),
  ...among(LIMITS, [
    [
      'of many keys at once exactly so many are made as there may be',
      'size(#keys) < :limit',
      'size(#keys) <= :limit',
      'of many at once exactly so many are made as there may be active keys of a project; it counted before: false',
    ],
  ]),
  ...among(LIMITS, [
    [
      'a person makes no more changes in a minute than they may',
      'OR #count < :limit',
      'OR #count <= :limit',
      'of many at once exactly so many are made as there may be changes of a person in a minute; in the next there are as many again',
    ],
  ]),
  ...among(LOST_ANSWERS, [
    [
      'a key that was used is not replaced by a repeat of its creation',
      'seen: { ...seenOf(stored), window: undefined }',
      'seen: seenOf(stored)',
      'of a creation that is repeated a key that is used while the repeat is on its way stays as it is',
    ],
  ]),
  ...among(CLOSING, [
    [
      'a closed account has none who joined meanwhile',
      "members: members.length, activeMembers: members.filter(({ status }) => status === 'active').length }",
      'members: members.length }',
      'a closed account has no project that was created, no member who joined and no invitation that was made meanwhile',
    ],
    [
      'a closed account has no open project',
      'seen = { status: undefined, ...listed }',
      'seen = { status: undefined }',
      'a closed account has no project that was created, no member who joined and no invitation that was made meanwhile',
    ],
  ]),
  ...among(AUTHORITY, [
    [
      'what belongs to others is as what is not there',
      'caller === undefined || caller.membership?.accountId === accountId',
      'caller === undefined || caller.membership !== undefined || accountId === undefined',
      'to rename a project of another account is answered as what is not there, and changes nothing',
    ],
  ]),
  ...among(LIMITS, [
    [
      'a change that changes nothing counts',
      'await commit(store, [...(await guards(store,',
      'if (changes.length > 0) await commit(store, [...(await guards(store,',
      COUNTED,
    ],
    [
      'a refusal for want of authority counts nothing',
      'COUNTED.has(error.code)',
      "(COUNTED.has(error.code) || error.code === 'NOT_FOUND')",
      COUNTED,
    ],
  ]),
  ...among(AUDIT, [
    [
      'a change and its audit event are one transaction',
      'await store.client.send(new TransactWriteCommand({ TransactItems }), callOptions(store));',
      `for (const item of TransactItems) {
        await store.client.send(new TransactWriteCommand({ TransactItems: [item] }), callOptions(store));
      }`,
      'a change and its audit event are written together or not at all',
    ],
  ]),
  ...among('test/portal/faults.test.ts', [
    [
      'a change that was made, and said to be in conflict, is not made again',
      'if (isMade && attempts > 1) return false;',
      '',
      'a call that fails when a member is removed: TransactWriteItems, 1',
    ],
  ]),
  ...among(AUDIT, [
    [
      'what the audit says was before, was',
      'seen: { ...guards, ...before }, after: replaced }),',
      'seen: {}, after: replaced }),',
      'two changes at once of one attribute are both made, and the audit says what each replaced',
    ],
    [
      'every change has its audit event',
      `await audited(store, action, subject(item), { before: auditValues(before, personal), after: auditValues(after, personal) }),`,
      '',
      'the audit of an account tells of every change what was before and after, and only of what changed',
    ],
    [
      'the audit names nobody',
      'if (personal.includes(name)) return [name, REDACTED];',
      '',
      'the audit of an account holds no key, no hash, no address and no name of a person',
    ],
  ]),
  ...among('test/portal/audit.test.ts', [
    [
      'an operator has no name in the audit',
      "return { actor: 'operator',",
      'return { actor,',
      'the audit of an account names who is there now, those who have gone and operators, and never as the audit has them',
    ],
  ]),
  ...among('test/accounts/members.test.ts', [
    [
      'who is invited owns nothing yet',
      "member.status === 'active'",
      'true',
      'the last active owner of an account stays also where others are invited as owners: who is invited owns nothing yet',
      'updateMember',
    ],
    [
      'who is removed has no way in',
      '...deleteMembershipPointer(store, accountId, member),',
      '',
      'a member that is removed leaves nothing but ids, a role and a status',
      'removeMember',
    ],
    [
      'who owns nothing removes nobody else',
      "isSelf ? 'member' : 'owner'",
      "isSelf ? 'member' : 'member'",
      'a member may leave, and remove nobody else',
    ],
  ]),
  ...among(LIMITS, [
    [
      'of many projects at once exactly so many are made as there may be',
      'projects: store.caller.limits.projectsPerAccount,',
      'projects: store.caller.limits.projectsPerAccount + 1,',
      'of many at once exactly so many are made as there may be projects of an account; it counted before: false',
    ],
    [
      'of many members at once exactly so many are made as there may be',
      'members: store.caller.limits.membersPerAccount,',
      'members: store.caller.limits.membersPerAccount + 1,',
      'of many at once exactly so many are made as there may be members of an account, invited ones included; it counted before: false',
    ],
  ]),
  ...among(LIMITS, [
    [
      'of many accounts at once a person creates exactly so many as they may',
      'OR #accountsCreated < :limit',
      'OR #accountsCreated <= :limit',
      'of many at once exactly so many are made as there may be accounts that a person creates, closed ones included',
    ],
  ]),
  ...among(LIMITS, [
    [
      'a key that has expired makes room',
      'if (Object.keys(alive).length < Object.keys(keys).length) {',
      'if (Object.keys(alive).length > Object.keys(keys).length) {',
      'an active key is none any more at the moment it expires, and then makes room',
    ],
    [
      'the active keys of a project never outgrow their item',
      '?? MAX_ACTIVE_KEYS, MAX_ACTIVE_KEYS)',
      '?? Infinity, Infinity)',
      'an active key is one of no more than an item holds whoever makes it, operator or person; the last one and those there are can be revoked and rotated',
    ],
  ]),
  ...among(LIMITS, [
    [
      'a key in its grace is not counted',
      "{ sets: stored, removes: keyId, requires: 'removed' }",
      '{ sets: stored }',
      'an active key is not the one in its grace after a rotation, also when that one is revoked, expires or is let expire',
    ],
  ]),
  ...among('test/accounts/account-store.test.ts', [
    [
      'a key is rotated once',
      'requireUnreplaced(old);',
      '',
      'a rotation of a key that was rotated is refused, names the successor and makes none; the successor can be rotated',
    ],
    [
      'a rotation lets no key live longer',
      'Math.min(nowMs + graceMs, expiresAtMs ?? Infinity)',
      'nowMs + graceMs',
      'a rotation never extends the old key, and gives the new one the lifetime that the old one was made with',
    ],
  ]),
  ...among('test/portal/journey.test.ts', [
    [
      'a key that was replaced ends',
      'after: { expiresAtMs: expiry, replacedBy: newKeyId, ttl: ttlOf(ending) },',
      'after: { replacedBy: newKeyId, ttl: ttlOf(ending) },',
      'a change of a key holds from the next request on: rotated at once, or by default with a day’s grace',
    ],
  ]),
  ...among(CLOSING, [
    [
      'a closed project gets no key',
      'changes: [requireOpenProject(store, projectId), ...changes, enters]',
      'changes: [...changes, enters]',
      'a closed project gets no key that was on its way',
    ],
  ]),
  ...among(CLOSING, [
    [
      'an account is closed with its projects',
      `seen: { status },
          after: { status: 'closed' },`,
      `seen: { status },
          after: { status },`,
      'a closed account is closed with its projects in one change: keys are refused, and its people find it no more',
    ],
  ]),
  ...among('test/portal/journey.test.ts', [
    [
      'a key is told once',
      'lastFour: lastFour(key)',
      'lastFour: key',
      'a key is in the answer that creates it, and in no other',
    ],
  ]),
  ...among(LOST_ANSWERS, [
    [
      'of a creation that is repeated the key that nobody saw dies',
      'deleteItem(store, { key: { pk, sk }, what, seen: { ...seenOf(stored), window: undefined } }),',
      '',
      'of a creation that is repeated the key has the same id and another secret, and the unseen one is dead',
    ],
    [
      'a creation is repeated for ten minutes',
      'nowMs < Date.parse(createdAt) + REISSUED_FOR_MS',
      'true',
      'of a creation that is repeated a key that is ten minutes old stays as it is',
    ],
  ]),
  ...among(LOST_ANSWERS, [
    [
      'a creation that is repeated makes one thing',
      'if (!caller || idempotencyKey === undefined)',
      "if (!caller || idempotencyKey !== '')",
      'a creation whose answer was lost, repeated under its Idempotency-Key, answers the same id and makes nothing again: a project',
    ],
    [
      'one person’s Idempotency-Key is none of another’s',
      '[caller.userId, ...scope, idempotencyKey]',
      '[...scope, idempotencyKey]',
      'a creation whose answer was lost, repeated under its Idempotency-Key, answers the same id and makes nothing again: an account, at the last that there may be',
    ],
  ]),
  ...among(KEY_PAGES, [
    [
      'a key that ends is listed with those that have ended',
      'unlistKey(store, listingOf(accountId, before)),',
      '',
      'the keys of a project are listed with those first that go on, the one with the latest end first, and then those that ended last',
    ],
    [
      'what leads to a key goes with it',
      'after: { ttl: ttlOf(after), ...noted },',
      'after: { ttl: undefined, ...noted },',
      'the keys of a project that have ended are listed for 90 days, and then are there no more, though the table has them',
    ],
  ]),
  ...among(KEY_PAGES, [
    [
      'no key from before there were lists is lost',
      'if (active?.listed !== true) return false;',
      '',
      'keys from before they were listed are all there, each once in the pages of its state',
    ],
    [
      'no active key is lost that a version from before has made',
      '.every((keyId) => ids.has(keyId))',
      '.every(() => true)',
      'keys from before they were listed that a version from before makes and ends after that are shown all the same, and are put right',
    ],
    [
      'a list of keys is of its account alone',
      'requireShown(store, projectId, project);',
      '',
      'the keys of a project are shown to the people of their account alone, who read nothing of others',
    ],
  ]),
  ...among('test/portal/keys.test.ts', [
    [
      'a look at keys that have ended counts as a read',
      "if (query.state !== 'active' || query.cursor !== undefined) await countRead(store);",
      '',
      'the list of keys counts as a read, but for the first page of those that go on',
    ],
  ]),
];
