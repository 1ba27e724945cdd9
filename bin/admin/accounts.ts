import { Command } from 'commander';
import {
  createAccount,
  readAccount,
  readAccounts,
  updateAccount,
  type StoredAccount,
} from '../../functions/accounts/team/accounts.ts';
import { createOwnedAccount } from '../../functions/accounts/team/owned-accounts.ts';
import { filtered, listing, mapped } from './listing.ts';
import { examples, nextCommand, requireOneOf, runs, type Outcome } from './session.ts';
import { facts } from '../cli/text.ts';
import { onAccount, readEmail, readName, type AccountOptions } from './values.ts';
import type { Shell } from '../cli/shell.ts';

/** `admin account …` */
export const accountCommand = (shell: Shell): Command =>
  new Command('account')
    .description('accounts of developers')
    .addCommand(create(shell))
    .addCommand(list(shell))
    .addCommand(show(shell))
    .addCommand(update(shell));

function create(shell: Shell): Command {
  const command = new Command('create')
    .description('create an account')
    .requiredOption('--name <name>', 'name of the account', readName)
    .requiredOption('--email <address>', 'where its owner can be reached', readEmail)
    .option(
      '--owner <address>',
      'invite this address as its owner: found at their next sign-in, for 14 days',
      readEmail,
    );
  examples(
    command,
    'account create --name "Example" --email dev@example.com --owner dev@example.com --local',
    'account create --name "Example" --email team@example.com --stage prod',
  );
  return runs(command, shell, async (store, { name, email, owner, ...place }: CreateOptions) => {
    if (owner !== undefined) {
      const made = await createOwnedAccount(store, { name, email }, owner);
      const next = `project create --account ${made.accountId} --name …`;
      return { json: made, text: `${facts(made)}\n\n${nextCommand(next, place)}` };
    }
    const accountId = await createAccount(store, { name, email });
    const next = `member add --account ${accountId} --email ${inShell(email)} --name … --role owner`;
    return { json: { accountId }, text: `${facts({ accountId })}\n\n${nextCommand(next, place)}` };
  });
}

interface CreateOptions {
  readonly name: string;
  readonly email: string;
  readonly owner?: string;
  readonly local?: true;
  readonly stage?: string;
}

/** A text as one word of a shell: an address may have characters that a shell reads. */
const inShell = (text: string): string =>
  /^[\w.@+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

function list(shell: Shell): Command {
  const command = new Command('list')
    .description('list all accounts, in the order of their ids')
    .option('--email <address>', 'only those with this address, in upper or lower case', readEmail);
  examples(command, 'account list --local', 'account list --email dev@example.com --stage prod --json');
  return runs(command, shell, (store, { email: wanted }: { email?: string }) => {
    const accounts = mapped(readAccounts(store), publicView);
    return listing({
      name: 'accounts',
      entries:
        wanted === undefined
          ? accounts
          : filtered(accounts, ({ email }) => email?.toLowerCase() === wanted.toLowerCase()),
      columns: {
        ACCOUNT: ({ accountId }) => accountId,
        NAME: ({ name }) => name,
        'E-MAIL': ({ email }) => email ?? '-',
        CREATED: ({ createdAt }) => createdAt,
      },
      none: wanted === undefined ? 'There are no accounts.' : 'No account has this address.',
    });
  });
}

function show(shell: Shell): Command {
  const command = onAccount('show', 'show an account');
  examples(command, 'account show --account acc_… --local');
  return runs(command, shell, async (store, { account }: AccountOptions) => shown(await readAccount(store, account)));
}

function update(shell: Shell): Command {
  const command = onAccount('update', 'change the name of an account, its e-mail address or both')
    .option('--name <name>', 'its new name', readName)
    .option('--email <address>', 'its new e-mail address', readEmail);
  requireOneOf(command, 'name', 'email');
  examples(command, 'account update --account acc_… --email team@example.com --local');
  type Options = AccountOptions & { name?: string; email?: string };
  return runs(command, shell, async (store, { account, ...changes }: Options) =>
    shown(await updateAccount(store, account, changes)),
  );
}

function shown(account: StoredAccount): Outcome {
  const json = publicView(account);
  return { json, text: facts({ ...json, email: json.email ?? '-' }) };
}

const publicView = ({ accountId, name, email, createdAt }: StoredAccount) => ({ accountId, name, email, createdAt });
