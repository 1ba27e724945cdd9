import { Command } from 'commander';
import { listAccounts, readAccount } from '../../functions/accounts/team/accounts.ts';
import { listMailStates } from '../../functions/accounts/mail/mail-states.ts';
import { requestRetell } from '../../functions/accounts/mail/retell-requests.ts';
import { resendInvitation } from '../../functions/accounts/team/resent-invitations.ts';
import { plural } from '../cli/text.ts';
import { listing } from './listing.ts';
import { examples, runs, runsList } from './session.ts';
import type { Shell } from '../cli/shell.ts';
import { onAccount, readId, readPast, type AccountOptions } from './values.ts';

/** `admin notice …` */
export const noticeCommand = (shell: Shell): Command =>
  new Command('notice')
    .description('mails to members')
    .addCommand(list(shell))
    .addCommand(resend(shell))
    .addCommand(replay(shell));

function list(shell: Shell): Command {
  const command = onAccount('list', 'list the result of the last mail to each member of an account');
  examples(command, 'notice list --account acc_… --local');
  return runsList(command, shell, async (store, { account }: AccountOptions) => {
    const { accountId } = await readAccount(store, account);
    return listing({
      name: 'notices',
      entries: listMailStates(store, accountId),
      columns: [
        { heading: 'MEMBER', of: ({ memberId }) => memberId },
        { heading: 'MAIL', of: ({ state }) => state },
        { heading: 'AT', of: ({ at }) => at },
        { heading: 'NOTICE', spare: 1, of: ({ noticeId }) => noticeId },
      ],
      none: 'No mail was sent to a member of the account.',
    });
  });
}

function resend(shell: Shell): Command {
  const command = onAccount(
    'resend',
    'send the mail of an invitation again, within the limits of mails',
  ).requiredOption('--member <id>', 'the invited member (mem_…)', readId);
  examples(command, 'notice resend --account acc_… --member mem_… --stage prod');
  return runs(command, shell, async (store, { account, member: memberId }: AccountOptions & { member: string }) => {
    await resendInvitation(store, account, memberId);
    return { json: { memberId, resent: true }, text: `The invitation of member ${memberId} is sent again.` };
  });
}

function replay(shell: Shell): Command {
  const command = new Command('replay')
    .description('tell the notices since a time again, from the audit; nobody is told twice')
    .requiredOption('--since <time>', 'a time of the last seven days: ISO 8601, or an age such as 2h', readPast)
    .option('--account <id>', 'this account only (acc_…)', readId);
  examples(command, 'notice replay --since 2h --stage prod', 'notice replay --since 2h --account acc_… --local');
  return runs(command, shell, async (store, { since, account }: Partial<AccountOptions> & { since: number }) => {
    const one = account === undefined ? undefined : (await readAccount(store, account)).accountId;
    let accounts = 0;
    for await (const accountId of one === undefined ? listAccounts(store) : [one]) {
      await requestRetell(store, accountId, since);
      accounts++;
    }
    const text = `The notices of ${plural(accounts, 'account')} are told again where they were not told.`;
    return { json: { accounts }, text };
  });
}
