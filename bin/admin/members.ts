import { Command } from 'commander';
import { readAccount } from '../../functions/accounts/accounts.ts';
import { addMember, listMembers, MEMBER_ROLES, removeMember, updateMember } from '../../functions/accounts/members.ts';
import type { MemberDetails, MemberRole } from '../../functions/accounts/members.ts';
import { listing, mapped } from './listing.ts';
import { examples, runs, runsConfirmed } from './session.ts';
import { facts } from './text.ts';
import { readEmail, readId, readName, readRole } from './values.ts';
import type { Shell } from './shell.ts';

const ROLE = `--role <${MEMBER_ROLES.join('|')}>`;

interface AccountOptions {
  readonly account: string;
}
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
    .addCommand(remove(shell));

function add(shell: Shell): Command {
  const command = inAccount('add', 'add a member to an account')
    .requiredOption('--email <address>', 'where the member can be reached; once in an account', readEmail)
    .requiredOption('--name <name>', 'what people call the member', readName)
    .requiredOption(ROLE, 'what the member may do', readRole);
  examples(command, 'member add --account acc_… --email ada@example.com --name Ada --role owner --local');
  return runs(command, shell, async (plane) => {
    const { account, email, name, role } = command.opts<AccountOptions & MemberDetails>();
    const memberId = await addMember(plane, account, { email, name, role });
    return { json: { memberId }, text: facts({ memberId }) };
  });
}

function list(shell: Shell): Command {
  const command = inAccount('list', 'list the members of an account, in the order of their ids');
  examples(command, 'member list --account acc_… --local');
  return runs(command, shell, async (plane) => {
    const { accountId } = await readAccount(plane, command.opts<AccountOptions>().account);
    return listing({
      name: 'members',
      entries: mapped(listMembers(plane, accountId), ({ memberId, name, email, role, createdAt }) => ({
        ...{ memberId, name, email, role, createdAt },
      })),
      headings: ['MEMBER', 'NAME', 'E-MAIL', 'ROLE', 'ADDED'],
      row: ({ memberId, name, email, role, createdAt }) => [memberId, name, email, role, createdAt],
      none: 'The account has no members.',
    });
  });
}

function update(shell: Shell): Command {
  const command = ofMember('update', 'give a member another role; the last owner stays owner').requiredOption(
    ROLE,
    'what the member may do from now on',
    readRole,
  );
  examples(command, 'member update --account acc_… --member mem_… --role member --local');
  return runs(command, shell, async (plane) => {
    const { account, member: memberId, role } = command.opts<MemberOptions & { role: MemberRole }>();
    await updateMember(plane, account, memberId, role);
    return { json: { memberId, role }, text: facts({ memberId, role }) };
  });
}

function remove(shell: Shell): Command {
  const command = ofMember('remove', 'remove a member, with all that is stored of the person; the last owner stays');
  examples(command, 'member remove --account acc_… --member mem_… --local');
  const question = () => {
    const { account, member } = command.opts<MemberOptions>();
    return `Remove member ${member} of account ${account}?`;
  };
  return runsConfirmed(command, shell, question, async (plane) => {
    const { account, member: memberId } = command.opts<MemberOptions>();
    await removeMember(plane, account, memberId);
    return { json: { memberId, removed: true }, text: `Member ${memberId} is removed.` };
  });
}

const inAccount = (name: string, description: string): Command =>
  new Command(name).description(description).requiredOption('--account <id>', 'the account (acc_…)', readId);

const ofMember = (name: string, description: string): Command =>
  inAccount(name, description).requiredOption('--member <id>', 'the member (mem_…)', readId);
