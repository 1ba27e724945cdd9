import { Command } from 'commander';
import { readAccount } from '../../functions/accounts/team/accounts.ts';
import { inviteMember, type InvitationDetails } from '../../functions/accounts/team/invitations.ts';
import { removeMember, updateMember } from '../../functions/accounts/team/members.ts';
import { signOutMember } from '../../functions/accounts/people/users.ts';
import { listMembers, memberView, readMember } from '../../functions/accounts/team/stored-members.ts';
import { MEMBER_ROLES, type MemberRole } from '../../functions/shared/choices.ts';
import { listing, mapped } from './listing.ts';
import { quoted } from './questions.ts';
import { examples, runs, runsConfirmed, type Question } from './session.ts';
import { facts } from '../cli/text.ts';
import { onAccount, readEmail, readId, readName, readRole, type AccountOptions } from './values.ts';
import type { Shell } from '../cli/shell.ts';

const ROLE = `--role <${MEMBER_ROLES.join('|')}>`;

interface MemberOptions extends AccountOptions {
  readonly member: string;
}

/** `admin member …` */
export const memberCommand = (shell: Shell): Command =>
  new Command('member')
    .description('people who belong to an account')
    .addCommand(add(shell))
    .addCommand(list(shell))
    .addCommand(update(shell))
    .addCommand(remove(shell))
    .addCommand(signOut(shell));

function add(shell: Shell): Command {
  const command = onAccount('add', 'invite a person to an account: found at their next sign-in, for 14 days')
    .requiredOption(
      '--email <address>',
      'the person with this verified address can accept; each address once in an account',
      readEmail,
    )
    .requiredOption('--name <name>', 'a name for people', readName)
    .requiredOption(ROLE, 'what the member may do', readRole);
  examples(command, 'member add --account acc_… --email ada@example.com --name Ada --role owner --local');
  return runs(command, shell, async (store, { account, ...details }: AccountOptions & InvitationDetails) => {
    const memberId = await inviteMember(store, account, details);
    return { json: { memberId }, text: facts({ memberId }) };
  });
}

function list(shell: Shell): Command {
  const command = onAccount('list', 'list the members of an account, in the order of their ids');
  examples(command, 'member list --account acc_… --local');
  return runs(command, shell, async (store, { account }: AccountOptions) => {
    const { accountId } = await readAccount(store, account);
    return listing({
      name: 'members',
      entries: mapped(listMembers(store, accountId), memberView),
      columns: {
        MEMBER: ({ memberId }) => memberId,
        NAME: ({ name }) => name ?? '-',
        'E-MAIL': ({ email }) => email ?? '-',
        ROLE: ({ role }) => role,
        STATUS: ({ status }) => status,
        ADDED: ({ createdAt }) => createdAt,
      },
      none: 'The account has no members.',
    });
  });
}

function update(shell: Shell): Command {
  const command = ofMember('update', 'give a member another role; the last active owner stays owner').requiredOption(
    ROLE,
    'what the member may do from now on',
    readRole,
  );
  examples(command, 'member update --account acc_… --member mem_… --role member --local');
  type Options = MemberOptions & { role: MemberRole };
  return runs(command, shell, async (store, { account, member: memberId, role }: Options) => {
    await updateMember(store, account, memberId, role);
    return { json: { memberId, role }, text: facts({ memberId, role }) };
  });
}

function remove(shell: Shell): Command {
  const command = ofMember(
    'remove',
    'remove a member, with all that is stored of the person, or take an invitation back; the last active owner stays',
  );
  examples(command, 'member remove --account acc_… --member mem_… --local');
  const question: Question<MemberOptions> = async (store, { account, member }, { place }) => {
    const [{ name }, { name: called, email, role, status }] = await Promise.all([
      readAccount(store, account),
      readMember(store, account, member),
    ]);
    const who = quoted(called ?? email ?? member);
    const end = status === 'active' ? 'What they send from then on is refused.' : 'The invitation is gone then.';
    return `Remove ${who} (${role}) from account ${quoted(name)} ${place}? ${end}`;
  };
  return runsConfirmed(command, shell, question, async (store, { account, member: memberId }) => {
    await removeMember(store, account, memberId);
    return { json: { memberId, removed: true }, text: `Member ${memberId} is removed.` };
  });
}

function signOut(shell: Shell): Command {
  const command = ofMember(
    'sign-out',
    "end a member's sessions in the portal, in every browser, from the next request on",
  );
  examples(command, 'member sign-out --account acc_… --member mem_… --stage prod');
  return runs(command, shell, async (store, { account, member: memberId }: MemberOptions) => {
    await signOutMember(store, account, memberId);
    return { json: { memberId, signedOut: true }, text: `Member ${memberId} is signed out.` };
  });
}

const ofMember = (name: string, description: string): Command =>
  onAccount(name, description).requiredOption('--member <id>', 'the member (mem_…)', readId);
