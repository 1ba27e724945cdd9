import { Command } from 'commander';
import { DEFAULT_RPM } from '../../functions/contract.ts';
import { SANDBOX_SCOPE, type KeyMode } from '../../functions/core/api-key.ts';
import { isoTime } from '../../functions/core/clock.ts';
import { createKey, listKeys, revokeKey, rotateKey } from '../../functions/data/api-keys.ts';
import type { NewKey, StoredKey } from '../../functions/data/api-keys.ts';
import type { Environment } from '../../local/settings.ts';
import { runs, type Outcome } from './session.ts';
import { facts, table } from './text.ts';
import { readDuration, readId, readMode, readName, readRpm, readScope } from './values.ts';

/** Time to bring the new key to where the old one is used. */
const DEFAULT_GRACE_MS = readDuration('24h');

interface ProjectOptions {
  readonly project: string;
}
interface KeyOptions extends ProjectOptions {
  readonly key: string;
}

/** `admin key …` */
export const keyCommand = (environment: Environment): Command =>
  new Command('key')
    .description('API keys of a project')
    .addCommand(create(environment))
    .addCommand(list(environment))
    .addCommand(revoke(environment))
    .addCommand(rotate(environment));

function create(environment: Environment): Command {
  const command = new Command('create')
    .description('create a key and show it, this once')
    .requiredOption('--project <id>', 'the project it belongs to', readId)
    .requiredOption('--mode <test|live>', 'the sandbox takes test keys only', readMode)
    .option('--scope <scope>', `what it may do; repeatable (default: ${SANDBOX_SCOPE})`, readScope)
    .option('--rpm <n>', `requests per minute, 1 to 10⁶ (default: ${DEFAULT_RPM}, with --stage the stage's)`, readRpm)
    .option('--name <name>', 'what people call it', readName)
    .option('--expires <duration>', 'how long it is valid, such as 90d (default: for ever)', readDuration);
  type Options = ProjectOptions & { mode: KeyMode; scope?: string[]; rpm?: number; name?: string; expires?: number };
  return runs(command, environment, async (plane, { defaultRpm }) => {
    const options = command.opts<Options>();
    const { project: projectId, mode, scope = [SANDBOX_SCOPE], rpm = defaultRpm, name, expires } = options;
    return shownOnce(
      await createKey(plane, { projectId, mode, scopes: new Set(scope), rpm, name, lifetimeMs: expires }),
    );
  });
}

function list(environment: Environment): Command {
  const command = new Command('list')
    .description('list the keys of a project, without the keys themselves')
    .requiredOption('--project <id>', 'the project', readId);
  return runs(command, environment, async (plane) => {
    const { project } = command.opts<ProjectOptions>();
    const keys = await Array.fromAsync(listKeys(plane, project), (key) => publicView(key, plane.clock.now()));
    const rows = keys.map((key) => [
      key.keyId,
      key.name ?? '-',
      key.mode,
      key.scopes.join(' '),
      key.status,
      key.rpm,
      key.createdAt,
      key.expiresAt ?? 'never',
      `…${key.lastFour}`,
    ]);
    const headings = ['KEY', 'NAME', 'MODE', 'SCOPES', 'STATUS', 'RPM', 'CREATED', 'EXPIRES', 'ENDS IN'];
    return { json: { keys }, text: keys.length === 0 ? 'The project has no keys.' : table(headings, rows) };
  });
}

function revoke(environment: Environment): Command {
  const command = new Command('revoke')
    .description('revoke a key; its next request is refused')
    .requiredOption('--project <id>', 'the project it belongs to', readId)
    .requiredOption('--key <id>', 'the id of the key (key_…)', readId);
  return runs(command, environment, async (plane) => {
    const { project, key: keyId } = command.opts<KeyOptions>();
    await revokeKey(plane, project, keyId);
    return { json: { keyId, status: 'revoked' }, text: `Key ${keyId} is revoked.` };
  });
}

function rotate(environment: Environment): Command {
  const command = new Command('rotate')
    .description('replace a key by a new one and show it, this once')
    .requiredOption('--project <id>', 'the project it belongs to', readId)
    .requiredOption('--key <id>', 'the id of the old key (key_…)', readId)
    .option('--grace <duration>', 'how long the old key goes on (default: 24h)', readDuration);
  return runs(command, environment, async (plane) => {
    const options = command.opts<KeyOptions & { grace?: number }>();
    const { project, key, grace = DEFAULT_GRACE_MS } = options;
    return shownOnce(await rotateKey(plane, project, key, grace));
  });
}

const shownOnce = ({ keyId, key }: NewKey): Outcome => ({
  json: { keyId, key },
  text: `${facts({ keyId, key })}\n\nThis is the only time the key is shown.`,
});

/** What a list shows of a key. */
function publicView(
  { keyId, name, mode, scopes, status, rpm, createdAt, expiresAtMs, lastFour }: StoredKey,
  nowMs: number,
) {
  const expired = expiresAtMs !== undefined && nowMs >= expiresAtMs;
  return {
    keyId,
    name: name ?? null,
    mode,
    scopes: [...scopes],
    rpm,
    createdAt,
    lastFour,
    status: status === 'active' && expired ? 'expired' : status,
    expiresAt: expiresAtMs === undefined ? null : isoTime(expiresAtMs),
  };
}
