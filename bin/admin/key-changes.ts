import { Command, Option } from 'commander';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { DEFAULT_RPM } from '../../functions/shared/names.ts';
import { SANDBOX_MODE, SANDBOX_SCOPE, type KeyMode } from '../../functions/shared/credentials/credential-text.ts';
import { createKey, expireKey, revokeKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import { changedCap, seenKey } from '../../functions/accounts/keys/key-caps.ts';
import { predecessorToEnd } from '../../functions/accounts/keys/key-predecessors.ts';
import { readKeyView, type KeyView } from '../../functions/accounts/keys/key-views.ts';
import type { NewKey } from '../../functions/accounts/keys/new-keys.ts';
import { CAP_PERIODS, capSpanAt, type CapPeriod } from '../../functions/shared/request/cap-period.ts';
import { rotateKey, type Rotated } from '../../functions/accounts/keys/key-rotation.ts';
import { countedNow } from '../../functions/accounts/keys/key-rate.ts';
import { requireUnreplaced, type StoredKey } from '../../functions/accounts/keys/stored-keys.ts';
import { grouped, keyInQuestion, momentInWords } from './questions.ts';
import { examples, requireOneOf, runs, runsConfirmed, type Outcome, type Question } from './session.ts';
import { facts } from '../cli/text.ts';
import {
  onKey,
  readCapPeriod,
  readDuration,
  readId,
  readMode,
  readName,
  readQuota,
  readRpm,
  readScope,
  readTime,
  SCOPES,
  type KeyOptions,
  type ProjectOptions,
} from './values.ts';
import type { Shell } from '../cli/shell.ts';

/** Time to replace the old key by the new one. */
const DEFAULT_GRACE_MS = readDuration('24h');

/** A key that ends this soon may end before its users have another one, so a person is asked first. */
const SOON_MS = readDuration('1h');

const UNITS = 'units that it may spend in a period, 0 to 10⁹, or none; needs at most 1,800 requests per minute';
const PER = 'how often these units begin again, in UTC; once: never';

/** `admin key create` */
export function create(shell: Shell): Command {
  const command = new Command('create')
    .description('create a key, and show it once')
    .requiredOption('--project <id>', 'the project it belongs to', readId)
    .requiredOption('--mode <test|live>', 'the sandbox takes test keys only', readMode)
    .option('--scope <scope>', `its permission: ${SCOPES.join(', ')} (default: ${SANDBOX_SCOPE})`, readScope)
    .option('--rpm <n>', `requests per minute, 1 to 10⁶ (default: ${DEFAULT_RPM}, with --stage the stage's)`, readRpm)
    .option('--units <n|none>', `${UNITS} (default: none)`, readQuota)
    .option('--per <period>', `${PER} (${CAP_PERIODS.join(', ')}; default: the quota's)`, readCapPeriod)
    .addOption(
      new Option('--cap-of <id>', 'share the units of this key, which count once; at most 180 requests per minute each')
        .argParser(readId)
        .conflicts(['units', 'per']),
    )
    .option('--name <name>', 'a name for people', readName)
    .option('--expires <duration>', 'how long it is valid, such as 90d (default: for ever)', readDuration);
  examples(
    command,
    'key create --project … --mode test --local',
    'key create --project … --mode test --name CI --rpm 600 --expires 90d --stage prod --json',
    'key create --project … --mode test --name Agent --units 500 --per once --local',
    'key create --project … --mode test --name Helper --cap-of key_… --local',
  );
  type Options = ProjectOptions & {
    mode: KeyMode;
    scope?: string[];
    rpm?: number;
    units?: number | 'none';
    per?: CapPeriod;
    capOf?: string;
    name?: string;
    expires?: number;
  };
  return runs(command, shell, async (store, options: Options, { defaultRpm }) => {
    const { project: projectId, mode, scope = [SANDBOX_SCOPE], rpm = defaultRpm, units, per, capOf, name } = options;
    const cap = { unitsLimit: units === 'none' ? undefined : units, unitsPeriod: per, capOf };
    const details = { projectId, mode, scopes: new Set(scope), rpm, ...cap, name, lifetimeMs: options.expires };
    const shown = shownOnce(await createKey(store, details));
    return mode === SANDBOX_MODE
      ? shown
      : { ...shown, text: `${shown.text} The sandbox refuses it: it takes test keys.` };
  });
}

/** `admin key update` */
export function update(shell: Shell): Command {
  const command = onKey('update', 'change the name of a key and its limits, from its next request on')
    .option('--name <name>', 'its new name', readName)
    .option('--rpm <n>', 'requests per minute, 1 to 10⁶', readRpm)
    .option('--units <n|none>', `${UNITS}; of keys that share them: of all`, readQuota)
    .option('--per <period>', `${PER} (${CAP_PERIODS.join(', ')})`, readCapPeriod);
  requireOneOf(command, 'name', 'rpm', 'units', 'per');
  examples(
    command,
    'key update --project … --key key_… --rpm 600 --stage prod',
    'key update --project … --key key_… --units 500 --stage prod',
  );
  type Options = KeyOptions & { name?: string; rpm?: number; units?: number | 'none'; per?: CapPeriod };
  const question: Question<Options> = async (store, { rpm = Infinity, units, per, ...of }, deployment) => {
    if (rpm === Infinity && per === undefined && typeof units !== 'number') return undefined;
    const { key, words } = await keyInQuestion(store, deployment, of);
    const nowMs = store.clock.now();
    const asked = countedNow(key, nowMs);
    if (rpm < key.rpm && rpm <= asked) {
      return `Limit ${words} to ${rpm} a minute? ${asked} were counted in this one: the next is refused.`;
    }
    const present = await seenKey(store, key);
    const { unitsLimit: cap = Infinity, capId = key.keyId } = changedCap(store, present, {
      unitsLimit: units,
      unitsPeriod: per,
    });
    if (capId === present.capId && cap >= (present.unitsLimit ?? Infinity)) return undefined;
    // Without a cap no units were counted, except under an earlier cap.
    const { unitsUsed } = await readKeyView(store, { ...key, unitsLimit: cap, capId });
    if (unitsUsed === null || cap > unitsUsed) return undefined;
    const { id } = capSpanAt(nowMs, capId, deployment.quotaPeriod());
    const counted = `${grouped(unitsUsed)} are counted ${id === 'once' ? 'so far' : `in ${id}`}`;
    return `Limit ${words} to ${grouped(cap)} units? ${counted}: its next requests are refused.`;
  };
  return runsConfirmed(
    command,
    shell,
    question,
    (store, { project, key, units: unitsLimit, per: unitsPeriod, ...changes }) =>
      shownAfter(store, () => updateKey(store, project, key, { ...changes, unitsLimit, unitsPeriod })),
  );
}

/** Exactly one of `in` and `at`. */
interface ExpiryOptions extends KeyOptions {
  readonly in?: number;
  readonly at?: number;
  readonly extend?: true;
}

/** `admin key expire` */
export function expire(shell: Shell): Command {
  const command = onKey('expire', 'let a key expire; one that has expired never works again')
    .addOption(
      new Option('--in <duration>', 'this long from now, such as 7d; 0s: now').argParser(readDuration).conflicts('at'),
    )
    .addOption(
      new Option('--at <time>', 'at this time, such as 2026-12-31 or 2026-12-31T18:00:00Z').argParser(readTime),
    )
    .option('--extend', 'allow a later expiry than the present one');
  requireOneOf(command, 'in', 'at');
  examples(
    command,
    'key expire --project … --key key_… --in 7d --stage prod',
    'key expire --project … --key key_… --at 2026-12-31 --extend --local',
  );
  const question: Question<ExpiryOptions> = async (store, { in: inMs, at: atMs = 0, ...of }, deployment) => {
    if ((inMs ?? atMs - store.clock.now()) >= SOON_MS) return undefined;
    const { words } = await keyInQuestion(store, deployment, of);
    return `Expire ${words} within the hour? It never works again.`;
  };
  return runsConfirmed(command, shell, question, (store, { project, key, in: inMs, at: atMs, extend }) => {
    const expiry = atMs === undefined ? { inMs: inMs ?? 0 } : { atMs };
    return shownAfter(store, () => expireKey(store, project, key, expiry, extend));
  });
}

/** `admin key pause` */
export function pause(shell: Shell): Command {
  const command = onKey('pause', 'refuse the requests of a key until it is resumed');
  examples(command, 'key pause --project … --key key_… --stage prod');
  const question: Question<KeyOptions> = async (store, of, deployment) => {
    const { words } = await keyInQuestion(store, deployment, of);
    return `Pause ${words}? Its requests are refused until it is resumed.`;
  };
  return runsConfirmed(command, shell, question, (store, of) => paused(store, of, true));
}

/** `admin key resume` */
export function resume(shell: Shell): Command {
  const command = onKey('resume', 'let a paused key work again, from its next request on');
  examples(command, 'key resume --project … --key key_… --stage prod');
  return runs(command, shell, (store, of: KeyOptions) => paused(store, of, false));
}

const paused = (store: AccountStore, { project, key }: KeyOptions, isPaused: boolean): Promise<Outcome> =>
  shownAfter(store, () => updateKey(store, project, key, { paused: isPaused }));

/** `admin key revoke` */
export function revoke(shell: Shell): Command {
  const command = onKey('revoke', 'revoke a key; its next request is refused');
  examples(
    command,
    'key revoke --project … --key key_… --stage prod',
    'key revoke --project … --key key_… --yes --local',
  );
  const question: Question<KeyOptions> = async (store, of, deployment) => {
    const { key, words } = await keyInQuestion(store, deployment, of);
    const replaced = key.replacedBy === undefined ? '' : ` ${key.replacedBy}, which replaced it, still works.`;
    return `Revoke ${words}? Its next request is refused, and it never works again.${replaced}`;
  };
  return runsConfirmed(command, shell, question, async (store, { project, key: keyId }) => {
    await revokeKey(store, project, keyId);
    return { json: { keyId, status: 'revoked' }, text: `Key ${keyId} is revoked.` };
  });
}

/** `admin key rotate` */
export function rotate(shell: Shell): Command {
  const command = onKey('rotate', 'replace a key by a new one, and show that once')
    .option('--grace <duration>', 'how long the old key works (default: 24h; 0s: not at all)', readDuration)
    .option('--ends <id>', 'the predecessor of the old key, if that is in its grace: it ends at once', readId);
  examples(
    command,
    'key rotate --project … --key key_… --stage prod',
    'key rotate --project … --key key_… --grace 1h --local --json',
    'key rotate --project … --key key_… --ends key_… --stage prod',
  );
  type Options = KeyOptions & { grace?: number; ends?: string };
  const question: Question<Options> = async (store, { grace = DEFAULT_GRACE_MS, ends, ...of }, deployment) => {
    const { key, words } = await keyInQuestion(store, deployment, of);
    requireUnreplaced(key);
    const predecessor = await predecessorToEnd(store, of.project, key, ends);
    const ending = predecessor && (await keyInQuestion(store, deployment, { ...of, key: predecessor.keyId }));
    const nowMs = store.clock.now();
    const endsAtMs = Math.min(nowMs + grace, key.expiresAtMs ?? Infinity);
    const end = endsAtMs === nowMs ? 'is refused from its next request on' : `works until ${momentInWords(endsAtMs)}`;
    const also = ending ? ` Refused from now on, too: ${ending.words}, which it replaced.` : '';
    return `Rotate ${words}? The old key ${end}.${also}`;
  };
  return runsConfirmed(command, shell, question, async (store, { project, key, grace = DEFAULT_GRACE_MS, ends }) =>
    shownRotation(key, await rotateKey(store, project, key, grace, undefined, ends)),
  );
}

async function shownAfter(store: AccountStore, change: () => Promise<StoredKey>): Promise<Outcome> {
  // Where it is not certain, the command fails before its change.
  store.quotaPeriod();
  return shownKey(await readKeyView(store, await change()));
}

/** The outcome of a command about one key. */
export function shownKey(json: KeyView): Outcome {
  const [name, replacedBy] = [json.name ?? '-', json.replacedBy ?? '-'];
  const { unitsLimit, unitsPeriod, unitsUsed, capOf, paused: isPaused, ...others } = json;
  const cap = { unitsLimit: unitsLimit ?? 'none', unitsPeriod, unitsUsed, capOf };
  const units = Object.fromEntries(Object.entries(cap).flatMap(([of, value]) => (value === null ? [] : [[of, value]])));
  const said = { name, scopes: json.scopes.join(' '), expiresAt: json.expiresAt ?? 'never', replacedBy };
  const text = { ...others, ...(isPaused && { paused: 'yes' }), ...units, ...said };
  return { json, text: facts({ ...text, lastUsed: minute(json.lastUsed) }) };
}

/** The outcome of a command that made a key. */
const shownOnce = ({ keyId, key }: NewKey): Outcome => ({
  json: { keyId, key },
  text: `${facts({ keyId, key })}\n\n${ONLY_TIME}`,
});

/** The outcome of a rotation: the new key, and when the old one ends. */
const shownRotation = (replacedKeyId: string, { keyId, key, replacedExpiresAt = '-' }: NewKey & Rotated): Outcome => {
  const json = { keyId, key, replacedKeyId, replacedExpiresAt };
  return { json, text: `${facts(json)}\n\n${ONLY_TIME}` };
};

const ONLY_TIME = 'This is the only time the key is shown.';

/** `2026-11-21T08:30Z`: without the unknown seconds. */
export const minute = (time: string | null): string =>
  time === null ? 'never' : `${time.slice(0, 'YYYY-MM-DDTHH:MM'.length)}Z`;
