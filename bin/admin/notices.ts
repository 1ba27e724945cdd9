import { Command } from 'commander';
import { listAccounts, readAccount } from '../../functions/accounts/team/accounts.ts';
import { listMailStates } from '../../functions/accounts/mail/mail-states.ts';
import { requestRetell } from '../../functions/accounts/mail/retell-requests.ts';
import { resendInvitation } from '../../functions/accounts/team/resent-invitations.ts';
import { listOpenProjects } from '../../functions/accounts/projects/stored-projects.ts';
import type { NoticesTelemetry } from '../../functions/notices/dependencies.ts';
import { checkProject } from '../../functions/notices/thresholds.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { plural } from '../cli/text.ts';
import { listing } from './listing.ts';
import { examples, runs } from './session.ts';
import type { Shell } from '../cli/shell.ts';
import { onAccount, readId, readPast, type AccountOptions } from './values.ts';

/** `admin notice …` */
export const noticeCommand = (shell: Shell): Command =>
  new Command('notice')
    .description('mails to members')
    .addCommand(list(shell))
    .addCommand(resend(shell))
    .addCommand(replay(shell))
    .addCommand(check(shell));

function list(shell: Shell): Command {
  const command = onAccount('list', 'list the result of the last mail to each member of an account');
  examples(command, 'notice list --account acc_… --local');
  return runs(command, shell, async (store, { account }: AccountOptions) => {
    const { accountId } = await readAccount(store, account);
    return listing({
      name: 'notices',
      entries: listMailStates(store, accountId),
      columns: {
        MEMBER: ({ memberId }) => memberId,
        MAIL: ({ state }) => state,
        AT: ({ at }) => at,
        NOTICE: ({ noticeId }) => noticeId,
      },
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
    let accounts = 0;
    for await (const accountId of accountsOf(store, account)) {
      await requestRetell(store, accountId, since);
      accounts++;
    }
    const text = `The notices of ${plural(accounts, 'account')} are told again where they were not told.`;
    return { json: { accounts }, text };
  });
}

function check(shell: Shell): Command {
  const command = new Command('check')
    .description('look at quotas and caps again, for thresholds of this period that nobody was told of')
    .option('--account <id>', 'this account only (acc_…)', readId);
  examples(command, 'notice check --stage prod', 'notice check --account acc_… --local');
  return runs(command, shell, async (store, { account }: Partial<AccountOptions>, { quotaPeriod }) => {
    let [projects, unreadable] = [0, 0];
    const telemetry: NoticesTelemetry = {
      info: () => undefined,
      warn: (message, details) => shell.stderr.write(`${message}: ${JSON.stringify(details)}\n`),
      count: () => void unreadable++,
    };
    for await (const accountId of accountsOf(store, account)) {
      for await (const projectId of listOpenProjects(store, accountId)) {
        await checkProject({ store, quotaPeriod: quotaPeriod(), telemetry }, projectId);
        projects++;
      }
    }
    const text = `The quotas and caps of ${plural(projects, 'project')} were looked at. What nobody was told of is told now.`;
    return { json: { projects, unreadable }, text };
  });
}

/** This account, or all. Throws `RefusedError` for an unknown one. */
async function* accountsOf(store: AccountStore, account: string | undefined): AsyncGenerator<string> {
  if (account === undefined) yield* listAccounts(store);
  else yield (await readAccount(store, account)).accountId;
}
