import type { BrokenBy } from './invariant.ts';

/** Invitations: a person finds all valid ones, an address belongs to one person, and inviters have limits. */
export const INVITED: BrokenBy = {
  'test/portal/invitations.test.ts': {
    'a list of invitations holds the one that is alive, whatever has been planted before it and has expired': [
      ['isShown(position, invitation) && isAlive(invitation, nowMs)', 'isShown(position, invitation)'],
    ],
    'a list of invitations begins with the newest, and continues in pages until each has been shown once': [
      ['ScanIndexForward: false', 'ScanIndexForward: true', 'readEntries'],
      ['isListing(position) || ttl === undefined', 'isListing(position) || ttl !== 0'],
    ],
    'a list of invitations from before there were lists shows them behind the others, each once, in pages of any size':
      [['isListing(position) || ttl === undefined', 'isListing(position) || ttl === 0']],
    'a list of invitations shows one to an account once, also where an older version has left its withdrawn one in the list':
      [['[...new Map(keys.map((key) => [nameOf(key), key])).values()]', 'keys']],
    'a list of invitations from before there were lists calls nobody the platform team of whom that was not noted': [
      ["invitedByKind = 'person'", "invitedByKind = 'operator'"],
    ],
    'a list of invitations has what is stored of an invitation deleted when it has expired': [
      [
        'return { ...details, expiresAtMs, ttl: Math.ceil(expiresAtMs / MS_PER_SECOND) };',
        'return { ...details, expiresAtMs };',
      ],
    ],
    'a list of invitations holds none that was declined, and nothing is left of it': [
      [
        "if (email === null || status === 'active') return [];",
        "if (email === null || status !== 'active') return [];",
      ],
    ],
    'one person invites one address ten times a day, in all their accounts and also where each is withdrawn, and then is refused':
      [
        ['...(await countedInvitation(store, email)),', ''],
        ["'invited address', [foldedAddress(email)]", "'invited address', [email]"],
        ["keyedHash(secret, 'invited address', [foldedAddress(email)]).toString('hex')", 'foldedAddress(email)'],
      ],
    'an invitation says who made it by the name of the person, and as a person, even if the name is the platform team’s':
      [
        [
          "invitedByKind: store.caller ? 'person' : 'operator'",
          "invitedByKind: (inviter?.name ?? 'operator') === 'operator' ? 'operator' : 'person'",
        ],
      ],
    'one person invites one address as who they are at the provider: a profile that is deleted resets nothing': [
      ['await usedBy(store, caller)', 'caller.userId'],
    ],
    'a list of invitations takes a cursor of its own alone, and counts as a read': [
      [
        'await countRead(store); return c.json(await invitationsOf(store, person.user, query));',
        'return c.json(await invitationsOf(store, person.user, query));',
        'invitationRoutes',
      ],
    ],
  },
  'test/accounts/invitations.test.ts': {
    'an invitation ends after 14 days, and can then be made again': [
      ['invitation !== undefined && nowMs < invitation.expiresAtMs', 'invitation !== undefined'],
    ],
  },
  'test/accounts/members.test.ts': {
    'a member is invited once with an e-mail address, whatever the case of its letters, also when ten invite at once': [
      ['`${ABSENT} OR #expiresAtMs <= :now`', '`${ABSENT} OR #expiresAtMs <= :now OR attribute_exists(#expiresAtMs)`'],
    ],
  },
  'test/portal/addresses.test.ts': {
    'an address that is not the one that it seems to be is not verified by a sign-in: a full-width letter': [
      ["email.normalize('NFKC') === email && ", ''],
    ],
    'an address that is not the one that it seems to be is not verified by a sign-in: a soft hyphen': [
      ["email.normalize('NFKC') === email && !UNSEEN.test(email)", "email.normalize('NFKC') === email"],
    ],
    'an address that is not the one that it seems to be is not verified by a sign-in: the Kelvin sign': [
      ['known && address === email && isPlainAddress(address)', 'known && isPlainAddress(address)'],
    ],
    'an address that is not the one that it seems to be is not invited, neither in the portal nor by the platform team: a full-width letter':
      [['if (!isPlainAddress(email)) throw new RefusedError(ADDRESS_RULE, { publicDetail: ADDRESS_RULE });', '']],
  },
  'test/portal/provider.test.ts': {
    'an ID token signs in whose address is another’s once it is normalised, and shows nobody’s invitations': [
      ['emailVerified: isOwn &&', 'emailVerified: known &&'],
    ],
  },
};
