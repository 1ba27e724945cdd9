import type { BrokenBy } from './invariant.ts';

const COUNTED =
  'of the changes of a person what changes nothing counts, and so do refusals that are not for authority; these do not';

/** What people and the platform team create, change and end. */
export const ACCOUNTS: BrokenBy = {
  'test/accounts/authority.test.ts': {
    'to create a project takes a member, also while the change is on its way': [
      ["authority === 'person' ? [] : [membershipCheck(store, authority)]", '[]'],
    ],
    'to close a project takes an owner, also while the change is on its way': [
      ["' AND #role = :owner'", "' AND attribute_exists(#role) AND :owner = :owner'"],
    ],
    'to rename a project of another account is answered as what is not there, and changes nothing': [
      [
        'caller === undefined || caller.membership?.accountId === accountId',
        'caller === undefined || caller.membership !== undefined || accountId === undefined',
      ],
    ],
  },
  'test/accounts/members.test.ts': {
    'the last active owner of an account stays when two owners remove at once': [
      ["return [[name, '>', 1]];", "return [[name, '>', 0]];"],
    ],
    'the last active owner of an account stays also where others are invited as owners: who is invited owns nothing yet':
      [["member.status === 'active'", 'true', 'updateMember']],
    'a member that is removed leaves nothing but ids, a role and a status': [
      ['...deleteMembershipPointer(store, accountId, member),', '', 'removeMember'],
    ],
    'a member may leave, and remove nobody else': [["isSelf ? 'member' : 'owner'", "isSelf ? 'member' : 'member'"]],
  },
  'test/accounts/limits.test.ts': {
    'of many at once exactly so many are made as there may be active keys of a project; it counted before: false': [
      ['size(#keys) < :limit', 'size(#keys) <= :limit'],
    ],
    'of many at once exactly so many are made as there may be changes of a person in a minute; in the next there are as many again':
      [['OR #count < :limit', 'OR #count <= :limit']],
    [COUNTED]: [
      ['await commit(store, [...(await guards(store,', 'if (changes.length > 0) …'],
      ['COUNTED.has(error.code)', "(… || error.code === 'NOT_FOUND')"],
    ],
    'of many at once exactly so many are made as there may be projects of an account; it counted before: false': [
      ['projects: store.caller.limits.projectsPerAccount,', 'projects: store.caller.limits.projectsPerAccount + 1,'],
    ],
    'of many at once exactly so many are made as there may be members of an account, invited ones included; it counted before: false':
      [['members: store.caller.limits.membersPerAccount,', 'members: store.caller.limits.membersPerAccount + 1,']],
    'of many at once exactly so many are made as there may be accounts that a person creates, closed ones included': [
      ['OR #accountsCreated < :limit', 'OR #accountsCreated <= :limit'],
    ],
    'an active key is not active any more at the moment it expires, and then makes room': [
      [
        'if (Object.keys(alive).length < Object.keys(keys).length) {',
        'if (Object.keys(alive).length > Object.keys(keys).length) {',
      ],
    ],
    'an active key is one of no more than an item holds by the platform team or a person; the last one and present ones can be revoked and rotated':
      [['?? MAX_ACTIVE_KEYS, MAX_ACTIVE_KEYS)', '?? Infinity, Infinity)']],
    'an active key is not the one in its grace after a rotation, also when that one is revoked, expires or is let expire':
      [["{ sets: stored, removes: keyId, requires: 'removed' }", '{ sets: stored }']],
  },
  'test/accounts/lost-answers.test.ts': {
    'of a creation that is repeated a key that is used while the repeat is on its way stays as it is': [
      ['seen: { ...seenOf(stored), window: undefined }', 'seen: seenOf(stored)'],
    ],
    'of a creation that is repeated the key has the same id and another secret, and the unseen one is dead': [
      ['deleteItem(store, { key: { pk, sk }, what, seen: { ...seenOf(stored), window: undefined } }),', ''],
    ],
    'of a creation that is repeated a key that is ten minutes old stays as it is': [
      ['nowMs < Date.parse(createdAt) + REISSUED_FOR_MS', 'true'],
    ],
    'a creation whose answer was lost, repeated under its Idempotency-Key, answers the same id and makes nothing again: a project':
      [['if (!caller || idempotencyKey === undefined)', "if (!caller || idempotencyKey !== '')"]],
    'a creation whose answer was lost, repeated under its Idempotency-Key, answers the same id and makes nothing again: an account, at the last that there may be':
      [['[caller.userId, ...scope, idempotencyKey]', '[...scope, idempotencyKey]']],
  },
  'test/accounts/closing.test.ts': {
    'a closed account has no project that was created, no member who joined and no invitation that was made meanwhile':
      [
        [
          "members: members.length, activeMembers: members.filter(({ status }) => status === 'active').length }",
          'members: members.length }',
        ],
        ['seen = { status: undefined, ...listed }', 'seen = { status: undefined }'],
      ],
    'a closed project gets no key that was on its way': [
      ['changes: [requireOpenProject(store, projectId), ...changes, enters]', 'changes: [...changes, enters]'],
    ],
    'a closed account is closed with its projects in one change: keys are refused, and its people find it no more': [
      [
        `seen: { status },
          after: { status: 'closed' },`,
        `seen: { status },
          after: { status },`,
      ],
    ],
  },
  'test/accounts/audit.test.ts': {
    'a change and its audit event are written together or not at all': [
      [
        'await store.client.send(new TransactWriteCommand({ TransactItems }), callOptions(store));',
        `for (const item of TransactItems) {
        await store.client.send(new TransactWriteCommand({ TransactItems: [item] }), callOptions(store));
      }`,
      ],
    ],
    'two changes at once of one attribute are both made, and the audit says what each replaced': [
      ['seen: { ...guards, ...before }, after: replaced }),', 'seen: {}, after: replaced }),'],
    ],
    'the audit of an account tells of every change what was before and after, and only of what changed': [
      [
        `await audited(store, action, subject(item), { before: auditValues(before, personal), after: auditValues(after, personal) }),`,
        '',
      ],
    ],
    'the audit of an account holds no key, no hash, no address and no name of a person': [
      ['if (personal.includes(name)) return [name, REDACTED];', ''],
    ],
  },
  'test/portal/faults.test.ts': {
    'a call that fails when a member is removed: TransactWriteItems, 1': [
      ['if (isMade && attempts > 1) return false;', ''],
    ],
  },
  'test/portal/audit.test.ts': {
    'the audit of an account names who is there now, those who have gone and operators, and never as the audit has them':
      [["return { actor: 'operator',", 'return { actor,']],
  },
  'test/accounts/account-store.test.ts': {
    'a rotation of a key that was rotated is refused, names the successor and makes none; the successor can be rotated':
      [['requireUnreplaced(old);', '']],
    'a rotation never extends the old key, and gives the new one the lifetime that the old one was made with': [
      ['Math.min(nowMs + graceMs, expiresAtMs ?? Infinity)', 'nowMs + graceMs'],
    ],
  },
  'test/portal/journey.test.ts': {
    'a change of a key holds from the next request on: rotated at once, or by default with a day’s grace': [
      [
        'after: { expiresAtMs: expiry, replacedBy: newKeyId, ttl: ttlOf(ending) },',
        'after: { replacedBy: newKeyId, ttl: ttlOf(ending) },',
      ],
    ],
    'a key is in the answer that creates it, and in no other': [['lastFour: lastFour(key)', 'lastFour: key']],
  },
  'test/accounts/key-pages.test.ts': {
    'the keys of a project are listed with those first that go on, the one with the latest end first, and then those that ended last':
      [['unlistKey(store, listingOf(accountId, before)),', '']],
    'the keys of a project that have ended are listed for 90 days, and then are there no more, though the table has them':
      [['after: { ttl: ttlOf(after), ...noted },', 'after: { ttl: undefined, ...noted },']],
    'keys from before they were listed are all there, each once in the pages of its state': [
      ['if (active?.listed !== true) return false;', ''],
    ],
    'keys from before they were listed that a version from before makes and ends after that are shown all the same, and are put right':
      [['.every((keyId) => ids.has(keyId))', '.every(() => true)']],
    'the keys of a project are shown to the people of their account alone, who read nothing of others': [
      ['requireShown(store, projectId, project);', ''],
    ],
  },
  'test/portal/keys.test.ts': {
    'the list of keys counts as a read, but for the first page of those that go on': [
      ["if (query.state !== 'active' || query.cursor !== undefined) await countRead(store);", ''],
    ],
  },
};
