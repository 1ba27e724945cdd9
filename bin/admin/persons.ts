import { Command } from 'commander';
import { deletePersonData } from '../../functions/accounts/people/person-deletion.ts';
import { findPersonData, type PersonData } from '../../functions/accounts/people/person-data.ts';
import { paragraphs } from '../cli/command-line.ts';
import { confirmTyped } from './confirm.ts';
import type { Deployment } from './deployment.ts';
import { examples, runs } from './session.ts';
import { escaped, facts } from '../cli/text.ts';
import { readEmail, readId } from './values.ts';
import type { Shell } from '../cli/shell.ts';
import { isoTime } from '../../functions/shared/time.ts';
import { isColourful, table } from '../cli/table.ts';

interface PersonOptions {
  readonly email: string;
  readonly user?: string;
  readonly yes?: true;
}

const HELP = `
It reads the whole Gateway table, since there is no index of addresses. It finds the people who sign in with the address,
and the members of accounts with this address. An address that is not verified may belong to another person. The last
owner of an open account cannot be deleted: first make another member an owner, or close the account. After an
interruption run the same command again: it continues. First delete the person at the user pool or the provider.
Otherwise a later sign-in makes a new person.
`;

/** `admin person …` */
export const personCommand = (shell: Shell): Command =>
  new Command('person')
    .description('the stored data of a person, and its deletion on request')
    .addCommand(show(shell))
    .addCommand(remove(shell));

function show(shell: Shell): Command {
  const command = ofPerson(
    'show',
    'show the stored data of the person who signs in with an e-mail address or was invited by it',
  );
  examples(
    command,
    'person show --email ada@example.com --stage prod',
    'person show --email ada@example.com --local --json',
  );
  return runs(command, shell, async (store, { email, user }: PersonOptions) => {
    const data = ofUser(await findPersonData(store, email), user);
    return {
      json: personView(data),
      text: isFound(data) ? personText(data, isColourful(shell.stdout, shell.env)) : NOTHING,
    };
  });
}

function remove(shell: Shell): Command {
  const command = ofPerson(
    'delete',
    'delete a person: sessions, memberships, profile, invitations, and their name in the audit; asks for the address',
  ).option('--yes', 'do not ask; required without a terminal');
  command.addHelpText('after', paragraphs(HELP));
  examples(
    command,
    'person delete --email ada@example.com --stage prod',
    'person delete --email ada@example.com --yes --local',
  );
  return runs(command, shell, async (store, { email, user, yes }: PersonOptions, deployment) => {
    if (!yes && !shell.stdin.isTTY) throw new Error('Nobody is there to be asked: give --yes.');
    const data = onePerson(await findPersonData(store, email), user);
    const colourful = isColourful(shell.stdout, shell.env);
    if (!isFound(data) && data.made.length === 0)
      return { json: { email, deleted: false, remains: REMAINS }, text: NOTHING };
    if (!yes) await ask(shell, data, deployment, personText(data, colourful));
    await deletePersonData(store, data);
    const json = { email, deleted: true, userIds: data.people.map((one) => one.user.userId), remains: REMAINS };
    return { json, text: `Deleted.\n\n${remainsText(colourful)}` };
  });
}

const NOTHING = 'Nothing is stored under this address.';

const ofPerson = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .requiredOption('--email <address>', 'the address, in upper or lower case', readEmail)
    .option('--user <id>', 'only this one of several people with this address (usr_…)', readId);

/** The named one of several people, with the memberships of nobody else. Throws for a person who is not among them. */
function ofUser(data: PersonData, userId: string | undefined): PersonData {
  if (userId === undefined) return data;
  const people = data.people.filter(({ user }) => user.userId === userId);
  if (people.length === 0) throw new Error(`No person ${userId} has this address.`);
  const others = new Set(data.people.map(({ user }) => user.userId).filter((id) => id !== userId));
  return {
    ...data,
    people,
    memberships: data.memberships.filter(({ member }) => !others.has(member.userId ?? '')),
    made: data.made.filter(({ inviterId }) => inviterId === userId),
  };
}

/** The same; throws where several people have the address and none is named. */
function onePerson(data: PersonData, userId: string | undefined): PersonData {
  const found = ofUser(data, userId);
  if (found.people.length < 2) return found;
  const ids = found.people.map(({ user }) => user.userId).join(', ');
  throw new Error(`Several people have this address: look at person show, and name one of ${ids} as --user.`);
}

function ask(shell: Shell, { email }: PersonData, { place }: Deployment, found: string): Promise<void> {
  const question = `${found}\n\nDelete all of this ${place}? It cannot be undone. Type the address ${escaped(email)}:`;
  return confirmTyped(question, email, { input: shell.stdin, output: shell.stderr });
}

/** What is stored of a person, for scripts: no hash, and no address or name of anybody else. */
const personView = ({ email, people, memberships, held, made, accounts }: PersonData) => ({
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
const isFound = ({ people, memberships, held, accounts }: PersonData): boolean =>
  [people, memberships, held, accounts].some(({ length }) => length > 0);

/** The same for people: facts of each person, and tables. */
function personText(data: PersonData, colourful: boolean): string {
  const { people, memberships, invitations, invited, accounts } = personView(data);
  const parts = people.map(({ email, emailVerified, name, ...person }) => {
    const address = `${email ?? '-'}${emailVerified ? '' : ' (not verified)'}`;
    const { userId, ...rest } = person;
    return facts({ userId, email: address, name: name ?? '-', ...rest });
  });
  const section = (title: string, headings: readonly string[], rows: readonly (readonly string[])[]): void => {
    if (rows.length === 0) return;
    parts.push(`${title}:\n${table(headings, rows, colourful)}`);
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
const REMAINS = [
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
const remainsText = (colourful: boolean): string =>
  table(
    ['WHAT REMAINS', 'UNTIL'],
    REMAINS.map(({ what, until }) => [what, until]),
    colourful,
  );
