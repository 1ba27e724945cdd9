import { Command } from 'commander';
import { createAccount, readAccount, readAccounts, updateAccount } from '../../functions/accounts/accounts.ts';
import type { StoredAccount } from '../../functions/accounts/accounts.ts';
import { listing, mapped } from './listing.ts';
import { examples, requireOneOf, runs, type Outcome } from './session.ts';
import { facts } from './text.ts';
import { readEmail, readId, readName } from './values.ts';
import type { Shell } from './shell.ts';

interface AccountOptions {
  readonly account: string;
}

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
    .requiredOption('--email <address>', 'where its owner can be reached', readEmail);
  examples(command, 'account create --name "Example" --email dev@example.com --local');
  return runs(command, shell, async (plane) => {
    const { name, email } = command.opts<{ name: string; email: string }>();
    const accountId = await createAccount(plane, { name, email });
    return { json: { accountId }, text: facts({ accountId }) };
  });
}

function list(shell: Shell): Command {
  const command = new Command('list').description('list all accounts, in the order of their ids');
  examples(command, 'account list --local', 'account list --stage prod --json');
  return runs(command, shell, (plane) =>
    listing({
      name: 'accounts',
      entries: mapped(readAccounts(plane), publicView),
      headings: ['ACCOUNT', 'NAME', 'E-MAIL', 'CREATED'],
      row: ({ accountId, name, email, createdAt }) => [accountId, name, email ?? '-', createdAt],
      none: 'There are no accounts.',
    }),
  );
}

function show(shell: Shell): Command {
  const command = new Command('show')
    .description('show an account')
    .requiredOption('--account <id>', 'the account (acc_…)', readId);
  examples(command, 'account show --account acc_… --local');
  return runs(command, shell, async (plane) => shown(await readAccount(plane, command.opts<AccountOptions>().account)));
}

function update(shell: Shell): Command {
  const command = new Command('update')
    .description('change the name of an account, its e-mail address or both')
    .requiredOption('--account <id>', 'the account (acc_…)', readId)
    .option('--name <name>', 'its new name', readName)
    .option('--email <address>', 'its new e-mail address', readEmail);
  requireOneOf(command, 'name', 'email');
  examples(command, 'account update --account acc_… --email team@example.com --local');
  return runs(command, shell, async (plane) => {
    const { account, ...changes } = command.opts<AccountOptions & { name?: string; email?: string }>();
    return shown(await updateAccount(plane, account, changes));
  });
}

function shown(account: StoredAccount): Outcome {
  const json = publicView(account);
  return { json, text: facts({ ...json, email: json.email ?? '-' }) };
}

const publicView = ({ accountId, name, email, createdAt }: StoredAccount) => ({ accountId, name, email, createdAt });
