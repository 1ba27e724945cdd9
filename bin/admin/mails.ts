import { Command } from 'commander';
import { readAccount } from '../../functions/accounts/team/accounts.ts';
import { allowInvitations } from '../../functions/accounts/team/invitation-bounces.ts';
import { listMailResults } from '../../functions/accounts/mail/mail-results.ts';
import { listMailStates } from '../../functions/accounts/mail/mail-states.ts';
import { allowBounced } from '../../functions/accounts/mail/mailed-addresses.ts';
import { listing } from './listing.ts';
import { examples, runs } from './session.ts';
import type { Shell } from '../cli/shell.ts';
import { readEmail, readId } from './values.ts';

/** `admin mail …` */
export const mailCommand = (shell: Shell): Command =>
  new Command('mail')
    .description('what became of mails, without their addresses')
    .addCommand(find(shell))
    .addCommand(allow(shell));

interface FindOptions {
  readonly notice?: string;
  readonly account?: string;
}

function find(shell: Shell): Command {
  const command = new Command('find')
    .description('find what became of the mails of a notice, or of the last mail to each member of an account')
    .option('--notice <id>', 'the notice (ntc_…)', readId)
    .option('--account <id>', 'the account (acc_…)', readId);
  examples(command, 'mail find --notice ntc_… --stage prod', 'mail find --account acc_… --local');
  return runs(command, shell, async (store, { notice, account }: FindOptions) => {
    if ((notice === undefined) === (account === undefined)) throw new Error('Give --notice or --account.');
    const found =
      notice === undefined
        ? lastOf(store, (await readAccount(store, account ?? '')).accountId)
        : listMailResults(store, notice);
    return listing({
      name: 'mails',
      entries: found,
      columns: {
        NOTICE: ({ noticeId }) => noticeId,
        ACCOUNT: ({ accountId }) => accountId,
        MEMBER: ({ memberId }) => memberId ?? '-',
        MAIL: ({ state }) => state,
        AT: ({ at }) => at,
        'SES ID': ({ messageId }) => messageId ?? '-',
      },
      none: 'There was no such mail in the last 90 days.',
    });
  });
}

/** Of each member the last mail, with its id at SES where it is kept. */
async function* lastOf(store: Parameters<typeof listMailStates>[0], accountId: string) {
  for await (const { memberId, noticeId, state, at } of listMailStates(store, accountId)) {
    const results = await Array.fromAsync(listMailResults(store, noticeId));
    const messageId = results.find((result) => result.memberId === memberId)?.messageId ?? null;
    yield { noticeId, accountId, memberId, state, at, messageId };
  }
}

function allow(shell: Shell): Command {
  const command = new Command('allow')
    .description('write again to an address that bounced or complained, or send the invitations of an account again')
    .option('--email <address>', 'the address', readEmail)
    .option('--account <id>', 'the account whose invitations came back (acc_…)', readId);
  examples(command, 'mail allow --email grace@example.com --stage prod', 'mail allow --account acc_… --stage prod');
  return runs(command, shell, async (store, { email, account }: { email?: string; account?: string }) => {
    if (account !== undefined && email === undefined) {
      const allowed = await allowInvitations(store, (await readAccount(store, account)).accountId);
      return {
        json: { allowed },
        text: allowed ? 'Its invitations are sent again.' : 'Its invitations were not held.',
      };
    }
    if (email === undefined || account !== undefined) throw new Error('Give --email or --account.');
    const allowed = await allowBounced(store, email);
    const text = allowed
      ? 'The address gets mail again. SES may keep it, too: aws sesv2 delete-suppressed-destination.'
      : 'The address was not kept from mail.';
    return { json: { allowed }, text };
  });
}
