import { Command, Option } from 'commander';
import { expireKey, revokeKey, updateKey } from '../../functions/accounts/api-keys.ts';
import { rotateKey } from '../../functions/accounts/key-rotation.ts';
import { system } from '../../functions/system.ts';
import { shownKey, shownOnce } from './key-view.ts';
import { examples, requireOneOf, runs, runsConfirmed } from './session.ts';
import { readDuration, readId, readName, readRpm, readTime } from './values.ts';
import type { Shell } from './shell.ts';

/** Time to bring the new key to where the old one is used. */
const DEFAULT_GRACE_MS = readDuration('24h');

/** A key that ends so soon may end before its users have another: that is asked first. */
const SOON_MS = readDuration('1h');

interface KeyOptions {
  readonly project: string;
  readonly key: string;
}

/** `admin key update` */
export function update(shell: Shell): Command {
  const command = aboutKey('update', 'change the name of a key, its rate limit or both, from its next request on')
    .option('--name <name>', 'its new name', readName)
    .option('--rpm <n>', 'requests per minute, 1 to 10⁶', readRpm);
  requireOneOf(command, 'name', 'rpm');
  examples(command, 'key update --project … --key key_… --rpm 600 --stage prod');
  return runs(command, shell, async (plane) => {
    const { project, key, ...changes } = command.opts<KeyOptions & { name?: string; rpm?: number }>();
    return shownKey(await updateKey(plane, project, key, changes), plane.clock.now());
  });
}

/** Exactly one of `in` and `at`. */
interface ExpiryOptions extends KeyOptions {
  readonly in?: number;
  readonly at?: number;
  readonly extend?: true;
}

/** `admin key expire` */
export function expire(shell: Shell): Command {
  const command = aboutKey('expire', 'let a key expire; one that has expired never works again')
    .addOption(new Option('--in <duration>', 'so long from now: 7d; 0s: now').argParser(readDuration).conflicts('at'))
    .addOption(
      new Option('--at <time>', 'at this time, such as 2026-12-31 or 2026-12-31T18:00:00Z').argParser(readTime),
    )
    .option('--extend', 'also when the key would have expired earlier');
  requireOneOf(command, 'in', 'at');
  examples(
    command,
    'key expire --project … --key key_… --in 7d --stage prod',
    'key expire --project … --key key_… --at 2026-12-31 --extend --local',
  );
  const question = () => {
    const { project, key, in: inMs, at: atMs = 0 } = command.opts<ExpiryOptions>();
    const isSoon = (inMs ?? atMs - system.clock.now()) < SOON_MS;
    return isSoon ? `Expire key ${key} of project ${project} within the hour? It never works again.` : undefined;
  };
  return runsConfirmed(command, shell, question, async (plane) => {
    const { project, key, in: inMs, at: atMs, extend } = command.opts<ExpiryOptions>();
    const expiry = atMs === undefined ? { inMs: inMs ?? 0 } : { atMs };
    return shownKey(await expireKey(plane, project, key, expiry, extend), plane.clock.now());
  });
}

/** `admin key revoke` */
export function revoke(shell: Shell): Command {
  const command = aboutKey('revoke', 'revoke a key; its next request is refused');
  examples(
    command,
    'key revoke --project … --key key_… --stage prod',
    'key revoke --project … --key key_… --yes --local',
  );
  const question = () => {
    const { project, key } = command.opts<KeyOptions>();
    return `Revoke key ${key} of project ${project}? Its next request is refused, and it never works again.`;
  };
  return runsConfirmed(command, shell, question, async (plane) => {
    const { project, key: keyId } = command.opts<KeyOptions>();
    await revokeKey(plane, project, keyId);
    return { json: { keyId, status: 'revoked' }, text: `Key ${keyId} is revoked.` };
  });
}

/** `admin key rotate` */
export function rotate(shell: Shell): Command {
  const command = aboutKey('rotate', 'replace a key by a new one and show it, this once').option(
    '--grace <duration>',
    'how long the old key goes on (default: 24h; 0s: not at all)',
    readDuration,
  );
  examples(
    command,
    'key rotate --project … --key key_… --stage prod',
    'key rotate --project … --key key_… --grace 1h --local --json',
  );
  type Options = KeyOptions & { grace?: number };
  const question = () => {
    const { project, key, grace } = command.opts<Options>();
    const isSoon = grace !== undefined && grace < SOON_MS;
    return isSoon ? `Rotate key ${key} of project ${project}? The old key ends within the hour.` : undefined;
  };
  return runsConfirmed(command, shell, question, async (plane) => {
    const { project, key, grace = DEFAULT_GRACE_MS } = command.opts<Options>();
    return shownOnce(await rotateKey(plane, project, key, grace));
  });
}

const aboutKey = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .requiredOption('--project <id>', 'the project it belongs to', readId)
    .requiredOption('--key <id>', 'the id of the key (key_…)', readId);
