import { Command } from 'commander';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { createAccount, type StoredAccount } from '../../functions/accounts/team/accounts.ts';
import { createKey } from '../../functions/accounts/keys/api-keys.ts';
import { bytesOf } from '../../functions/accounts/store/idempotency.ts';
import { createProject } from '../../functions/accounts/projects/projects.ts';
import type { StoredProject } from '../../functions/accounts/projects/stored-projects.ts';
import { generateProjectId } from '../../functions/shared/credentials/api-key.ts';
import { SANDBOX_MODE, SANDBOX_SCOPE } from '../../functions/shared/credentials/credential-text.ts';
import { generateId } from '../../functions/shared/ids.ts';
import { PING_PATH } from '../../functions/gateway/operations/ping.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { readItem } from '../../functions/shared/store/tables.ts';
import { paragraphs } from '../cli/command-line.ts';
import { examples, nextCommand, runs } from './session.ts';
import type { Shell } from '../cli/shell.ts';
import { facts } from '../cli/text.ts';

const NAME = 'Quick start';
/** How often the account or its project may have been closed. */
const MAX_CLOSED = 100;

const HELP = `
It makes the account ${NAME}, a project in it and a test key, and prints the request to send. Every further run makes one
more key in the same project. With --json it prints accountId, projectId, keyId, key, gatewayUrl and portalUrl, which is
null where there is no portal. The key is shown this once.`;

/** `admin quick-start`: from a new stage to the first ping. */
export function quickStartCommand(shell: Shell): Command {
  const command = new Command('quick-start').description(
    'make an account, a project and a test key, and say how to ping',
  );
  examples(command, 'quick-start --stage dev', 'quick-start --local --json');
  command.addHelpText('after', paragraphs(HELP));
  return runs(
    command,
    shell,
    async (store, place: Parameters<typeof nextCommand>[1], { addresses, defaultQuota, defaultRpm: rpm }) => {
      const { gatewayUrl, portalUrl } = await addresses();
      const { accountId } = await notClosed((n) => quickAccount(store, n));
      const quotaLimit = defaultQuota === 'none' ? undefined : defaultQuota;
      const project = await notClosed((n) => quickProject(store, { accountId, name: NAME, quotaLimit }, n));
      const { projectId } = project;
      if (project.status === 'suspended') {
        throw new Error(`The project ${projectId} is suspended, so its keys are refused: project resume ends that.`);
      }
      const details = { projectId, mode: SANDBOX_MODE, scopes: new Set([SANDBOX_SCOPE]), rpm, name: NAME };
      const { keyId, key } = await createKey(store, { ...details, lifetimeMs: undefined, unitsLimit: undefined });
      const json = { accountId, projectId, keyId, key, gatewayUrl, portalUrl };
      const next = `member add --account ${accountId} --email … --name … --role owner`;
      return { json, text: `${textOf(json)}${portalUrl ? `\n\n${nextCommand(next, place)}` : ''}` };
    },
  );
}

interface Made {
  readonly accountId: string;
  readonly projectId: string;
  readonly keyId: string;
  readonly key: string;
  readonly gatewayUrl: string;
  readonly portalUrl: string | null;
}

const textOf = ({ portalUrl, gatewayUrl, ...made }: Made): string =>
  [
    facts({ ...made, gateway: gatewayUrl, portal: portalUrl ?? 'none is deployed' }),
    '',
    'This is the only time the key is shown. The first ping:',
    '',
    // With HISTCONTROL=ignorespace a shell keeps no line in its history that begins with a space.
    ` curl -i ${gatewayUrl}${PING_PATH} -H 'Authorization: Bearer ${made.key}' -H 'Content-Type: application/json' -d '{}'`,
  ].join('\n');

/** The first of the numbered ones that is not closed; it is made if it is not there. */
async function notClosed<T extends { readonly status?: string }>(made: (n: number) => Promise<T>): Promise<T> {
  for (let n = 1; n <= MAX_CLOSED; n++) {
    const found = await made(n);
    if (found.status !== 'closed') return found;
  }
  throw new Error(`The account ${NAME} was closed ${MAX_CLOSED} times: account create makes another one.`);
}

/**
 * The ids follow from the number, so the database lets only one of two runs create the item. The other one, and one
 * that did not hear that it had succeeded, find it.
 */
async function quickAccount(store: AccountStore, n: number): Promise<StoredAccount> {
  const asked = ['quick start', 'account', String(n)];
  const key = itemKey.account(generateId('acc', bytesOf(asked)));
  return foundOrMade(store, key, () =>
    createAccount({ ...store, randomBytes: bytesOf(asked) }, { name: NAME, email: null }),
  );
}

function quickProject(
  store: AccountStore,
  details: Parameters<typeof createProject>[1],
  n: number,
): Promise<StoredProject> {
  const asked = ['quick start', details.accountId, String(n)];
  const key = itemKey.project(generateProjectId(bytesOf(asked)));
  return foundOrMade(store, key, () => createProject({ ...store, randomBytes: bytesOf(asked) }, details));
}

async function foundOrMade<T>(
  store: AccountStore,
  key: ReturnType<typeof itemKey.account>,
  make: () => Promise<unknown>,
): Promise<T> {
  const found = await readItem<T>(store, key);
  if (found) return found;
  const [{ reason }] = (await Promise.allSettled([make()])) as [{ readonly reason?: Error }];
  const made = await readItem<T>(store, key);
  if (!made) throw reason ?? new Error('What was made cannot be found. Run this again.');
  return made;
}
