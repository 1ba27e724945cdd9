import { Command } from 'commander';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { readAccount } from '../../functions/accounts/team/accounts.ts';
import { disableEndpoint } from '../../functions/accounts/endpoints/endpoints.ts';
import { endpointView, listEndpoints, readEndpoint } from '../../functions/accounts/endpoints/stored-endpoints.ts';
import { listing } from './listing.ts';
import { quoted } from './questions.ts';
import { type Question, examples, runs, runsConfirmed } from './session.ts';
import type { Shell } from '../cli/shell.ts';
import { onAccount, readId, type AccountOptions } from './values.ts';

interface EndpointOptions extends AccountOptions {
  readonly endpoint: string;
}

/** `admin endpoint …` */
export const endpointCommand = (shell: Shell): Command =>
  new Command('endpoint')
    .description('webhook endpoints that get the notices of an account')
    .addCommand(list(shell))
    .addCommand(disable(shell));

function list(shell: Shell): Command {
  const command = onAccount('list', 'list the webhook endpoints of an account, without their secrets');
  examples(command, 'endpoint list --account acc_… --local');
  return runs(command, shell, async (store, { account }: AccountOptions) => {
    const { accountId } = await readAccount(store, account);
    return listing({
      name: 'endpoints',
      entries: shown(store, accountId),
      columns: {
        ENDPOINT: ({ endpointId }) => endpointId,
        ADDRESS: ({ url }) => url,
        STATUS: ({ status }) => status,
        'OFF BY': ({ disabledBy }) => disabledBy ?? '-',
        'FAILING SINCE': ({ failingSince }) => failingSince ?? '-',
      },
      none: 'The account has no webhook endpoint.',
    });
  });
}

function disable(shell: Shell): Command {
  const command = onAccount(
    'disable',
    'switch a webhook endpoint off; its owners get a mail, and can switch it on again',
  ).requiredOption('--endpoint <id>', 'the endpoint (ept_…)', readId);
  examples(command, 'endpoint disable --account acc_… --endpoint ept_… --stage prod');
  const question: Question<EndpointOptions> = async (store, { account, endpoint }, { place }) => {
    const [{ name }] = await Promise.all([readAccount(store, account), readEndpoint(store, account, endpoint)]);
    return `Switch off endpoint ${endpoint} of account ${quoted(name)} ${place}? Waiting deliveries are not sent.`;
  };
  return runsConfirmed(command, shell, question, async (store, { account, endpoint: endpointId }) => {
    const { status } = await disableEndpoint(store, account, endpointId, 'operator');
    return { json: { endpointId, status }, text: `Endpoint ${endpointId} is off.` };
  });
}

async function* shown(store: AccountStore, accountId: string) {
  yield* (await listEndpoints(store, accountId)).map(endpointView);
}
