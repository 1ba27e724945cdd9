import { Command } from 'commander';
import { DEFAULT_RPM } from '../../functions/wiring.ts';
import { SANDBOX_MODE, SANDBOX_SCOPE, type KeyMode } from '../../functions/core/api-key.ts';
import { createKey } from '../../functions/accounts/api-keys.ts';
import { keyView } from '../../functions/accounts/key-views.ts';
import { listKeys, type KeyState } from '../../functions/accounts/key-pages.ts';
import { readKey, type StoredKey } from '../../functions/accounts/stored-keys.ts';
import { expire, revoke, rotate, update } from './key-changes.ts';
import { reindexCommand } from './key-reindex.ts';
import { KEY_COLUMNS, shownKey, shownOnce } from './key-view.ts';
import { listing, mapped } from './listing.ts';
import { examples, runs, runsList } from './session.ts';
import { readDuration, readId, readKeyState, readMode, readName, readRpm, readScope, SCOPES } from './values.ts';
import type { Shell } from './shell.ts';

interface ProjectOptions {
  readonly project: string;
}
interface KeyOptions extends ProjectOptions {
  readonly key: string;
}

/** `admin key …` */
export const keyCommand = (shell: Shell): Command =>
  new Command('key')
    .description('API keys of a project')
    .addCommand(create(shell))
    .addCommand(list(shell))
    .addCommand(show(shell))
    .addCommand(update(shell))
    .addCommand(expire(shell))
    .addCommand(revoke(shell))
    .addCommand(rotate(shell))
    .addCommand(reindexCommand(shell));

function create(shell: Shell): Command {
  const command = new Command('create')
    .description('create a key and show it, this once')
    .requiredOption('--project <id>', 'the project it belongs to', readId)
    .requiredOption('--mode <test|live>', 'the sandbox takes test keys only', readMode)
    .option('--scope <scope>', `what it may do; there is ${SCOPES.join(', ')}, which is the default`, readScope)
    .option('--rpm <n>', `requests per minute, 1 to 10⁶ (default: ${DEFAULT_RPM}, with --stage the stage's)`, readRpm)
    .option('--name <name>', 'what people call it', readName)
    .option('--expires <duration>', 'how long it is valid, such as 90d (default: for ever)', readDuration);
  examples(
    command,
    'key create --project … --mode test --local',
    'key create --project … --mode test --name CI --rpm 600 --expires 90d --stage prod --json',
  );
  type Options = ProjectOptions & { mode: KeyMode; scope?: string[]; rpm?: number; name?: string; expires?: number };
  return runs(command, shell, async (store, { defaultRpm }) => {
    const options = command.opts<Options>();
    const { project: projectId, mode, scope = [SANDBOX_SCOPE], rpm = defaultRpm, name, expires } = options;
    const details = { projectId, mode, scopes: new Set(scope), rpm, name, lifetimeMs: expires };
    const shown = shownOnce(await createKey(store, details));
    return mode === SANDBOX_MODE
      ? shown
      : { ...shown, text: `${shown.text} The sandbox refuses it: it takes test keys.` };
  });
}

function list(shell: Shell): Command {
  const command = new Command('list')
    .description('list the keys of a project, oldest first, without the keys themselves')
    .requiredOption('--project <id>', 'the project', readId)
    .option('--state <active|ended>', 'only those that go on, or those that ended in the last 90 days', readKeyState);
  examples(
    command,
    'key list --project … --local',
    'key list --project … --state active --local',
    'key list --project … --stage prod --json',
  );
  return runsList(command, shell, (store) => {
    const { project, state } = command.opts<ProjectOptions & { state?: KeyState }>();
    return listing({
      name: 'keys',
      entries: mapped(byCreation(listKeys(store, project, state)), (key) => keyView(key, store.clock.now())),
      columns: KEY_COLUMNS,
      none: state === undefined ? 'The project has no keys.' : `The project has no ${state} keys.`,
    });
  });
}

/** Oldest first; the database has them in the order of their ends. Holds all keys that are listed. */
async function* byCreation(keys: AsyncIterable<StoredKey>): AsyncGenerator<StoredKey> {
  yield* (await Array.fromAsync(keys)).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}

function show(shell: Shell): Command {
  const command = new Command('show')
    .description('show a key, without the key itself')
    .requiredOption('--project <id>', 'the project it belongs to', readId)
    .requiredOption('--key <id>', 'the id of the key (key_…)', readId);
  examples(command, 'key show --project … --key key_… --local');
  return runs(command, shell, async (store) => {
    const { project, key } = command.opts<KeyOptions>();
    return shownKey(await readKey(store, project, key), store.clock.now());
  });
}
