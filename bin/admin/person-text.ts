import { isoTime } from '../../functions/shared/rules/clock.ts';
import type { PersonData } from '../../functions/accounts/people/person-data.ts';
import { fittedTable, type TableLook } from '../cli/table.ts';
import { facts } from '../cli/text.ts';

/** What is stored of a person, for scripts: no hash, and no address or name of anybody else. */
export const personView = ({ email, people, memberships, held, made, accounts }: PersonData) => ({
  email,
  people: people.map(({ user, sessions }) => ({
    userId: user.userId,
    email: user.email ?? null,
    emailVerified: user.emailVerified,
    name: user.name ?? null,
    createdAt: user.createdAt,
    lastSignIn: user.lastSignIn,
    sessions,
  })),
  memberships: memberships.map(({ accountId, accountName, isOpen, member }) => ({
    accountId,
    accountName,
    accountStatus: isOpen ? 'open' : 'closed',
    memberId: member.memberId,
    userId: member.userId ?? null,
    role: member.role,
    status: member.status,
    name: member.name ?? null,
    email: member.email,
  })),
  invitations: once(held),
  invited: once(made),
  accounts: accounts.map(({ accountId, name, status = 'open' }) => ({ accountId, name, status })),
});

/** Each is stored twice. */
const once = (invitations: PersonData['held']) =>
  [...new Map(invitations.map((invitation) => [invitation.memberId, invitation])).values()].map(
    ({ accountId, memberId, expiresAtMs }) => ({ accountId, memberId, expiresAt: isoTime(expiresAtMs) }),
  );

/** Whether anything at all is stored. */
export const isFound = ({ people, memberships, held, accounts }: PersonData): boolean =>
  [people, memberships, held, accounts].some(({ length }) => length > 0);

/** The same for people: facts of each person, and tables. */
export function personText(data: PersonData, look: TableLook): string {
  const { people, memberships, invitations, invited, accounts } = personView(data);
  const parts = people.map(({ email, emailVerified, name, ...person }) => {
    const address = `${email ?? '-'}${emailVerified ? '' : ' (not verified)'}`;
    const { userId, ...rest } = person;
    return facts({ userId, email: address, name: name ?? '-', ...rest });
  });
  const section = (title: string, headings: readonly string[], rows: readonly (readonly string[])[]): void => {
    if (rows.length === 0) return;
    const columns = headings.map((heading, i) => ({
      heading,
      ...(heading === 'NAME' && { shortens: 'atEnd' as const }),
      ...(i > 0 && { spare: i }),
    }));
    parts.push(`${title}:\n${fittedTable(columns, rows, look).text}`);
  };
  section(
    'Member of',
    ['ACCOUNT', 'ROLE', 'STATUS', 'NAME', 'STATE', 'MEMBER'],
    memberships.map((of) => [of.accountId, of.role, of.status, of.accountName, of.accountStatus, of.memberId]),
  );
  const rowOf = ({ accountId, memberId, expiresAt }: (typeof invited)[number]) => [accountId, expiresAt, memberId];
  section('Invited to', ['ACCOUNT', 'UNTIL', 'MEMBER'], invitations.map(rowOf));
  section('Has invited, under their name', ['ACCOUNT', 'UNTIL', 'MEMBER'], invited.map(rowOf));
  section(
    'Address of',
    ['ACCOUNT', 'STATE', 'NAME'],
    accounts.map(({ accountId, status, name }) => [accountId, status, name]),
  );
  return parts.join('\n\n');
}

/** What a deletion leaves, and until when. */
export const REMAINS = [
  { what: 'changes that they made, in the audit under an id without a name', until: 'as long as the account is kept' },
  { what: 'how many accounts they created, under a keyed hash', until: '90 days' },
  { what: 'how often they asked and whom they invited, under keyed hashes', until: 'an hour; the end of the UTC day' },
  {
    what: 'names that people gave accounts, projects and keys: look for the person in them',
    until: 'they are changed',
  },
  { what: 'what callers sent as clientRequestId', until: 'usageRetentionDays' },
  { what: 'backups', until: '35 days; copies 90 days' },
  { what: 'logs, with ids and IP addresses', until: 'logRetentionDays' },
  { what: "the user pool's or provider's own account: delete it there", until: 'you delete it' },
] as const;

/** The same as a table. */
export const remainsText = (look: TableLook): string =>
  fittedTable(
    [
      { heading: 'WHAT REMAINS', shortens: 'atEnd' },
      { heading: 'UNTIL', spare: 1 },
    ],
    REMAINS.map(({ what, until }) => [what, until]),
    look,
  ).text;
