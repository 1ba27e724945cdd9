import { Command } from 'commander';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { readAccount } from '../../functions/accounts/team/accounts.ts';
import { listTokens, readToken, revokeToken, tokenView } from '../../functions/accounts/tokens/tokens.ts';
import { listing } from './listing.ts';
import { quoted, useInWords } from './questions.ts';
import { type Question, examples, runs, runsConfirmed } from './session.ts';
import type { Shell } from '../cli/shell.ts';
import { onAccount, readId, type AccountOptions } from './values.ts';

interface TokenOptions extends AccountOptions {
  readonly token: string;
}

/** `admin token …` */
export const tokenCommand = (shell: Shell): Command =>
  new Command('token')
    .description('management tokens, with which programs of an account manage keys')
    .addCommand(list(shell))
    .addCommand(revoke(shell));

function list(shell: Shell): Command {
  const command = onAccount('list', 'list the management tokens of an account, without the tokens themselves');
  examples(command, 'token list --account acc_… --local');
  return runs(command, shell, async (store, { account }: AccountOptions) => {
    const { accountId } = await readAccount(store, account);
    return listing({
      name: 'tokens',
      entries: shown(store, accountId),
      columns: {
        TOKEN: ({ tokenId }) => tokenId,
        NAME: ({ name }) => name,
        STATUS: ({ status }) => status,
        SCOPES: ({ scopes }) => scopes.join(' '),
        PROJECT: ({ projectId }) => projectId ?? 'all',
        EXPIRES: ({ expiresAt }) => expiresAt,
        'LAST USED': ({ lastUsed }) => lastUsed ?? '-',
      },
      none: 'The account has no management token.',
    });
  });
}

function revoke(shell: Shell): Command {
  const command = onAccount('revoke', 'revoke a management token; its next request is refused').requiredOption(
    '--token <id>',
    'the id of the token (tok_…)',
    readId,
  );
  examples(command, 'token revoke --account acc_… --token tok_… --stage prod');
  const question: Question<TokenOptions> = async (store, { account, token }, { place }) => {
    const [{ name }, { name: tokenName, usedAtMs }] = await Promise.all([
      readAccount(store, account),
      readToken(store, account, token),
    ]);
    const words = `${token} (${quoted(tokenName)}, ${useInWords(usedAtMs, store.clock.now())})`;
    return `Revoke token ${words} of account ${quoted(name)} ${place}? Programs with it are refused.`;
  };
  return runsConfirmed(command, shell, question, async (store, { account, token: tokenId }) => {
    const { status, revokedAt } = await revokeToken(store, account, tokenId);
    return { json: { tokenId, status, revokedAt }, text: `Token ${tokenId} is revoked.` };
  });
}

async function* shown(store: AccountStore, accountId: string) {
  const nowMs = store.clock.now();
  yield* (await listTokens(store, accountId)).map((token) => tokenView(token, nowMs));
}
