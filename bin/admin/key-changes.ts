import { Command, Option } from 'commander';
import { expireKey, revokeKey, updateKey } from '../../functions/accounts/api-keys.ts';
import { predecessorToEnd } from '../../functions/accounts/key-predecessors.ts';
import { rotateKey } from '../../functions/accounts/key-rotation.ts';
import { requireUnreplaced } from '../../functions/accounts/stored-keys.ts';
import { shownKey, shownRotation } from './key-view.ts';
import { countedThisMinute, keyInQuestion, momentInWords } from './questions.ts';
import { examples, requireOneOf, runsConfirmed, type Question } from './session.ts';
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
  type Options = KeyOptions & { name?: string; rpm?: number };
  const question: Question = async (store, deployment) => {
    const { rpm, ...of } = command.opts<Options>();
    if (rpm === undefined) return undefined;
    const { key, words } = await keyInQuestion(store, deployment, of);
    const counted = countedThisMinute(key, store.clock.now());
    if (rpm >= key.rpm || rpm > counted) return undefined;
    return `Limit ${words} to ${rpm} a minute? ${counted} were counted in this one: the next is refused.`;
  };
  return runsConfirmed(command, shell, question, async (store) => {
    const { project, key, ...changes } = command.opts<Options>();
    return shownKey(await updateKey(store, project, key, changes), store.clock.now());
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
  const question: Question = async (store, deployment) => {
    const { in: inMs, at: atMs = 0, ...of } = command.opts<ExpiryOptions>();
    if ((inMs ?? atMs - store.clock.now()) >= SOON_MS) return undefined;
    const { words } = await keyInQuestion(store, deployment, of);
    return `Expire ${words} within the hour? It never works again.`;
  };
  return runsConfirmed(command, shell, question, async (store) => {
    const { project, key, in: inMs, at: atMs, extend } = command.opts<ExpiryOptions>();
    const expiry = atMs === undefined ? { inMs: inMs ?? 0 } : { atMs };
    return shownKey(await expireKey(store, project, key, expiry, extend), store.clock.now());
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
  const question: Question = async (store, deployment) => {
    const { key, words } = await keyInQuestion(store, deployment, command.opts<KeyOptions>());
    const replaced = key.replacedBy === undefined ? '' : ` ${key.replacedBy}, which replaced it, goes on.`;
    return `Revoke ${words}? Its next request is refused, and it never works again.${replaced}`;
  };
  return runsConfirmed(command, shell, question, async (store) => {
    const { project, key: keyId } = command.opts<KeyOptions>();
    await revokeKey(store, project, keyId);
    return { json: { keyId, status: 'revoked' }, text: `Key ${keyId} is revoked.` };
  });
}

/** `admin key rotate` */
export function rotate(shell: Shell): Command {
  const command = aboutKey('rotate', 'replace a key by a new one and show it, this once')
    .option('--grace <duration>', 'how long the old key goes on (default: 24h; 0s: not at all)', readDuration)
    .option('--ends <id>', 'the key that the old one replaced, where that is in its grace: it ends at once', readId);
  examples(
    command,
    'key rotate --project … --key key_… --stage prod',
    'key rotate --project … --key key_… --grace 1h --local --json',
    'key rotate --project … --key key_… --ends key_… --stage prod',
  );
  type Options = KeyOptions & { grace?: number; ends?: string };
  const question: Question = async (store, deployment) => {
    const { grace = DEFAULT_GRACE_MS, ends, ...of } = command.opts<Options>();
    const { key, words } = await keyInQuestion(store, deployment, of);
    requireUnreplaced(key);
    const predecessor = await predecessorToEnd(store, of.project, key, ends);
    const ending = predecessor && (await keyInQuestion(store, deployment, { ...of, key: predecessor.keyId }));
    const nowMs = store.clock.now();
    const endsAtMs = Math.min(nowMs + grace, key.expiresAtMs ?? Infinity);
    const end = endsAtMs === nowMs ? 'is refused from its next request on' : `goes on until ${momentInWords(endsAtMs)}`;
    const also = ending ? ` Refused from now on, too: ${ending.words}, which it replaced.` : '';
    return `Rotate ${words}? The old key ${end}.${also}`;
  };
  return runsConfirmed(command, shell, question, async (store) => {
    const { project, key, grace = DEFAULT_GRACE_MS, ends } = command.opts<Options>();
    return shownRotation(key, await rotateKey(store, project, key, grace, undefined, ends));
  });
}

const aboutKey = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .requiredOption('--project <id>', 'the project it belongs to', readId)
    .requiredOption('--key <id>', 'the id of the key (key_…)', readId);
