import { among, type Invariant } from './invariant.ts';

const INVITATIONS = 'test/portal/invitations.test.ts';
const ADDRESSES = 'test/portal/addresses.test.ts';
const PROVIDER = 'test/portal/provider.test.ts';
const IN_A_DAY =
  'one person invites one address ten times a day, in all their accounts and also where each is withdrawn, and is told so';

/** Invitations: a person finds all valid ones, an address belongs to one person, and inviters have limits. */
export const INVITED: readonly Invariant[] = [
  ...among(INVITATIONS, [
    [
      'a list holds the invitations that are alive',
      'isShown(position, invitation) && isAlive(invitation, nowMs)',
      'isShown(position, invitation)',
      'a list of invitations holds the one that is alive, whatever has been planted before it and has expired',
    ],
    [
      'the newest invitation comes first',
      'ScanIndexForward: false',
      'ScanIndexForward: true',
      'a list of invitations begins with the newest, and goes on in pages until each has been shown once',
      'readEntries',
    ],
    [
      'each invitation is shown once',
      'isListing(position) || ttl === undefined',
      'isListing(position) || ttl !== 0',
      'a list of invitations begins with the newest, and goes on in pages until each has been shown once',
    ],
    [
      'an invitation from before there were lists is shown',
      'isListing(position) || ttl === undefined',
      'isListing(position) || ttl === 0',
      'a list of invitations from before there were lists shows them behind the others, each once, in pages of any size',
    ],
    [
      'no batch names a key twice',
      '[...new Map(keys.map((key) => [nameOf(key), key])).values()]',
      'keys',
      'a list of invitations shows one to an account once, also where an older version has left its withdrawn one in the list',
    ],
    [
      'nobody invites as the platform team of whom it was not noted',
      "invitedByKind = 'person'",
      "invitedByKind = 'operator'",
      'a list of invitations from before there were lists calls nobody the platform team of whom that was not noted',
    ],
  ]),
  ...among(INVITATIONS, [
    [
      'an invitation is deleted when it has expired',
      'return { ...details, expiresAtMs, ttl: Math.ceil(expiresAtMs / MS_PER_SECOND) };',
      'return { ...details, expiresAtMs };',
      'a list of invitations has what is stored of an invitation deleted when it has expired',
    ],
    [
      'of an invitation that was declined nothing is left',
      "if (email === null || status === 'active') return [];",
      "if (email === null || status !== 'active') return [];",
      'a list of invitations holds none that was declined, and nothing is left of it',
    ],
  ]),
  ...among('test/accounts/invitations.test.ts', [
    [
      'an invitation ends',
      'invitation !== undefined && nowMs < invitation.expiresAtMs',
      'invitation !== undefined',
      'an invitation ends after 14 days, and can then be made again',
    ],
  ]),
  ...among('test/accounts/members.test.ts', [
    [
      'of many who invite an address at once one does',
      '`${ABSENT} OR #expiresAtMs <= :now`',
      '`${ABSENT} OR #expiresAtMs <= :now OR attribute_exists(#expiresAtMs)`',
      'a member is invited once with an e-mail address, whatever the case of its letters, also when ten invite at once',
    ],
  ]),
  ...among(INVITATIONS, [
    ['a person invites an address so often a day', '...(await countedInvitation(store, email)),', '', IN_A_DAY],
    [
      'no name makes a person the platform team',
      "invitedByKind: store.caller ? 'person' : 'operator'",
      "invitedByKind: (inviter?.name ?? 'operator') === 'operator' ? 'operator' : 'person'",
      'an invitation says who made it by the name that a person goes by, and that it is a person, though the name be that of the operator',
    ],
  ]),
  ...among(INVITATIONS, [
    [
      'an address is counted whatever the case of its letters',
      "'invited address', [foldedAddress(email)]",
      "'invited address', [email]",
      IN_A_DAY,
    ],
    [
      'whom a person has invited takes the secret of the stage to find out',
      "keyedHash(secret, 'invited address', [foldedAddress(email)]).toString('hex')",
      'foldedAddress(email)',
      IN_A_DAY,
    ],
    [
      'invitations of a day stay made when the profile is deleted',
      'await usedBy(store, caller)',
      'caller.userId',
      'one person invites one address as who they are at the provider: a profile that is deleted resets nothing',
    ],
  ]),
  ...among(INVITATIONS, [
    [
      'a look at further invitations counts as a read',
      'await countRead(store); return c.json(await invitationsOf(store, person.user, query));',
      'return c.json(await invitationsOf(store, person.user, query));',
      'a list of invitations takes a cursor of its own alone, and counts as a read',
      'invitationRoutes',
    ],
  ]),
  ...among(ADDRESSES, [
    [
      'no other letter is taken for one',
      "email.normalize('NFKC') === email && ",
      '',
      'an address that is not the one that it seems to be is not verified by a sign-in: a full-width letter',
    ],
    [
      'nothing in an address is unseen',
      "email.normalize('NFKC') === email && !UNSEEN.test(email)",
      "email.normalize('NFKC') === email",
      'an address that is not the one that it seems to be is not verified by a sign-in: a soft hyphen',
    ],
  ]),
  ...among(ADDRESSES, [
    [
      'an address is verified as the provider writes it',
      'known && address === email && isPlainAddress(address)',
      'known && isPlainAddress(address)',
      'an address that is not the one that it seems to be is not verified by a sign-in: the Kelvin sign',
    ],
  ]),
  ...among(PROVIDER, [
    [
      'nobody signs in as who has an address like theirs',
      'emailVerified: isOwn &&',
      'emailVerified: known &&',
      'an ID token signs in whose address is another’s once it is normalised, and shows nobody’s invitations',
    ],
  ]),
  ...among(ADDRESSES, [
    [
      'an address is invited that is the one that it seems to be',
      'if (!isPlainAddress(email)) throw new RefusedError(ADDRESS_RULE, { publicDetail: ADDRESS_RULE });',
      '',
      'an address that is not the one that it seems to be is not invited, neither in the portal nor by an operator: a full-width letter',
    ],
  ]),
];
