import { Command } from 'commander';
import { listKeys } from '../../functions/accounts/keys/key-pages.ts';
import { readKey, type StoredKey } from '../../functions/accounts/keys/stored-keys.ts';
import { keyViews, readKeyView, type KeyView } from '../../functions/accounts/keys/key-views.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import type { KeyState } from '../../functions/shared/choices.ts';
import { create, expire, pause, resume, minute, revoke, rotate, shownKey, update } from './key-changes.ts';
import { listing, type Columns } from './listing.ts';
import { examples, runs } from './session.ts';
import { onKey, readId, readKeyState, type KeyOptions, type ProjectOptions } from './values.ts';
import type { Shell } from '../cli/shell.ts';

/** The columns of a list of keys. */
const KEY_COLUMNS: Columns<KeyView> = {
  KEY: ({ keyId }) => keyId,
  NAME: ({ name }) => name ?? '-',
  LAST4: ({ lastFour }) => lastFour,
  MODE: ({ mode }) => mode,
  SCOPES: ({ scopes }) => scopes.join(' '),
  STATUS: ({ status, paused }) => (paused && status === 'active' ? 'paused' : status),
  RPM: ({ rpm }) => rpm,
  UNITS: ({ unitsLimit }) => unitsLimit ?? 'none',
  PER: ({ unitsPeriod }) => unitsPeriod ?? '-',
  'CAP OF': ({ capOf }) => capOf ?? '-',
  CREATED: ({ createdAt }) => minute(createdAt),
  EXPIRES: ({ expiresAt }) => minute(expiresAt),
  'LAST USED': ({ lastUsed }) => minute(lastUsed),
};

/** `admin key …` */
export const keyCommand = (shell: Shell): Command =>
  new Command('key')
    .description('API keys of a project')
    .addCommand(create(shell))
    .addCommand(list(shell))
    .addCommand(show(shell))
    .addCommand(update(shell))
    .addCommand(expire(shell))
    .addCommand(pause(shell))
    .addCommand(resume(shell))
    .addCommand(revoke(shell))
    .addCommand(rotate(shell));

function list(shell: Shell): Command {
  const command = new Command('list')
    .description('list the keys of a project, oldest first, without the keys themselves')
    .requiredOption('--project <id>', 'the project', readId)
    .option('--state <active|ended>', 'only active ones, or those that ended in the last 90 days', readKeyState);
  examples(
    command,
    'key list --project … --local',
    'key list --project … --state active --local',
    'key list --project … --stage prod --json',
  );
  return runs(command, shell, (store, { project, state }: ProjectOptions & { state?: KeyState }) => {
    return listing({
      name: 'keys',
      entries: byCreation(store, listKeys(store, project, state)),
      columns: KEY_COLUMNS,
      none: state === undefined ? 'The project has no keys.' : `The project has no ${state} keys.`,
    });
  });
}

/** Oldest first; the database sorts them by their ends. All listed keys are in memory. */
async function* byCreation(store: AccountStore, keys: AsyncIterable<StoredKey>): AsyncGenerator<KeyView> {
  yield* (await keyViews(store, await Array.fromAsync(keys))).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}

function show(shell: Shell): Command {
  const command = onKey('show', 'show a key with its limits and its used units, without the key itself');
  examples(command, 'key show --project … --key key_… --local');
  return runs(command, shell, async (store, { project, key }: KeyOptions) =>
    shownKey(await readKeyView(store, await readKey(store, project, key))),
  );
}
