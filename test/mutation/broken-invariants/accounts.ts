import { among, type Invariant } from './invariant.ts';

/** What people and operators make, change and end. */
export const ACCOUNTS: readonly Invariant[] = [
  ...among('functions/accounts/callers.ts', 'test/accounts/authority.test.ts', [
    [
      "a member's removal holds also against a change in flight",
      "authority === 'person' ? [] : [membershipCheck(plane, authority)]",
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
  ...among('functions/accounts/account-counts.ts', 'test/accounts/members.test.ts', [
    [
      'the last active owner stays',
      "return [[name, '>', 1]];",
      "return [[name, '>', 0]];",
      'the last active owner of an account stays when two owners remove at once',
    ],
  ]),
  ...among('functions/accounts/active-keys.ts', 'test/accounts/limits.test.ts', [
    [
      'of many keys at once exactly so many are made as there may be',
      'size(#keys) < :limit',
      'size(#keys) <= :limit',
      'of many at once exactly so many are made as there may be active keys of a project; it counted before: false',
    ],
  ]),
  ...among('functions/accounts/request-rate.ts', 'test/accounts/limits.test.ts', [
    [
      'a person makes no more changes in a minute than they may',
      'OR #count < :limit',
      'OR #count <= :limit',
      'of many at once exactly so many are made as there may be changes of a person in a minute; in the next there are as many again',
    ],
  ]),
  ...among('functions/accounts/invitation-answers.ts', 'test/accounts/invitations.test.ts', [
    [
      'an invitation is for a verified address',
      "'#email = :email AND #emailVerified = :true'",
      "'#email = :email AND (#emailVerified = :true OR attribute_exists(#email))'",
      'an invitation is for a verified address, and for no other',
    ],
  ]),
  ...among('functions/accounts/key-reissue.ts', 'test/accounts/lost-answers.test.ts', [
    [
      'a key that was used is not replaced by a repeat of its creation',
      'seen: { ...seenOf(stored), window: undefined }',
      'seen: seenOf(stored)',
      'of a creation that is repeated a key that is used while the repeat is on its way stays as it is',
    ],
  ]),
  ...among('functions/accounts/account-closing.ts', 'test/accounts/closing.test.ts', [
    [
      'a closed account has none who joined meanwhile',
      'members: members.length, activeMembers }',
      'members: members.length }',
      'a closed account has no project that was created, no member who joined and no invitation that was made meanwhile',
    ],
  ]),
];
