import { Command } from 'commander';
import { listKeys } from '../../functions/accounts/keys/key-pages.ts';
import { keyView, type KeyView, readKey, type StoredKey } from '../../functions/accounts/keys/stored-keys.ts';
import { readUnitsUsed } from '../../functions/accounts/keys/key-units.ts';
import type { KeyState } from '../../functions/shared/rules/choices.ts';
import { periodAt } from '../../functions/shared/rules/period.ts';
import { create, expire, pause, resume, minute, revoke, rotate, shownKey, update } from './key-changes.ts';
import { listing, mapped, type ListColumn } from './listing.ts';
import { examples, runs, runsList } from './session.ts';
import { onKey, readId, readKeyState, type KeyOptions, type ProjectOptions } from './values.ts';
import type { Shell } from '../cli/shell.ts';

/** The columns of a list of keys. */
const KEY_COLUMNS: readonly ListColumn<KeyView>[] = [
  { heading: 'KEY', of: ({ keyId }) => keyId },
  { heading: 'NAME', shortens: 'atEnd', spare: 1, of: ({ name }) => name ?? '-' },
  { heading: 'LAST4', of: ({ lastFour }) => lastFour },
  { heading: 'MODE', spare: 3, of: ({ mode }) => mode },
  { heading: 'SCOPES', spare: 8, of: ({ scopes }) => scopes.join(' ') },
  { heading: 'STATUS', spare: 2, of: ({ status, paused }) => (paused && status === 'active' ? 'paused' : status) },
  { heading: 'RPM', figures: true, spare: 4, of: ({ rpm }) => rpm },
  { heading: 'UNITS', figures: true, spare: 4, of: ({ unitsLimit }) => unitsLimit ?? 'none' },
  { heading: 'CREATED', spare: 7, of: ({ createdAt }) => minute(createdAt) },
  { heading: 'EXPIRES', spare: 6, of: ({ expiresAt }) => minute(expiresAt) },
  { heading: 'LAST USED', spare: 5, of: ({ lastUsed }) => minute(lastUsed) },
];

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
  return runsList(command, shell, (store, { project, state }: ProjectOptions & { state?: KeyState }) => {
    return listing({
      name: 'keys',
      entries: mapped(byCreation(listKeys(store, project, state)), (key) => keyView(key, store.clock.now())),
      columns: KEY_COLUMNS,
      none: state === undefined ? 'The project has no keys.' : `The project has no ${state} keys.`,
    });
  });
}

/** Oldest first; the database sorts them by their ends. All listed keys are in memory. */
async function* byCreation(keys: AsyncIterable<StoredKey>): AsyncGenerator<StoredKey> {
  yield* (await Array.fromAsync(keys)).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}

function show(shell: Shell): Command {
  const command = onKey('show', 'show a key with its limits and its used units, without the key itself');
  examples(command, 'key show --project … --key key_… --local');
  return runs(command, shell, async (store, { project, key: keyId }: KeyOptions, { quotaPeriod }) => {
    const key = await readKey(store, project, keyId);
    const nowMs = store.clock.now();
    if (key.unitsLimit === undefined) return shownKey(key, nowMs);
    const [unitsUsed = null] = await readUnitsUsed(store, [key], periodAt(nowMs, quotaPeriod()).id);
    return shownKey(key, nowMs, { unitsUsed });
  });
}
