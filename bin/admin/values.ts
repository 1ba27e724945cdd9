import { Command, InvalidArgumentError } from 'commander';
import * as v from 'valibot';
import { CAP_PERIODS } from '../../functions/shared/request/cap-period.ts';
import { STAGE_NAME } from '../../lib/stack-names.ts';
import { ADDRESS_RULE, isDeliverable } from '../../functions/shared/address.ts';
import { KEY_MODES } from '../../functions/shared/credentials/credential-text.ts';
import { KEY_STATES, MEMBER_ROLES } from '../../functions/shared/choices.ts';
import { isoTime } from '../../functions/shared/time.ts';
import { containsApiKey } from '../../functions/shared/credentials/credential-text.ts';
import { MAX_SHARDS } from '../../functions/shared/request/quota-shards.ts';
import { isVisible, MAX_NAME_CHARACTERS, maxCharacters } from '../../functions/shared/http/input.ts';
import { readNamed, wholeNumber } from '../../functions/shared/settings/named-value.ts';
import { OPERATIONS } from '../../functions/gateway/operations/index.ts';
import { MAX_UNITS_LIMIT } from '../../functions/shared/choices.ts';
import { system } from '../../functions/shared/system.ts';
import { hasUnseen } from '../cli/text.ts';
import type { TimeSpan } from '../../functions/shared/store/items.ts';

/* Readers of option values. Each throws `InvalidArgumentError` that says what is valid; commander names the option. */

const MAX_RPM = 1_000_000;
const MAX_DURATION_DAYS = 36_500;
const MS_PER_UNIT = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const ID = /^[0-9A-Za-z_]{1,32}$/;
/** A date, or a date and time with its offset from UTC (RFC 3339). */
const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2}))?$/;
/** Lower case, as the gateway writes them. */
const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Times whose UTC year has four digits: others do not sort as text. */
const FIRST_TIME_MS = Date.parse('0000-01-01T00:00:00Z');
const LAST_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z');
/** A reader by a schema, whose messages say what to give. */
const option =
  <S extends v.GenericSchema>(schema: S) =>
  (text: string): v.InferOutput<S> =>
    readNamed('', text, schema, (message) => new InvalidArgumentError(message));

/** As {@link option}, for values that are stored or printed: a value with a key is refused without showing it. */
const keyless = <S extends v.GenericSchema>(schema: S) => {
  const read = option(schema);
  return (text: string): v.InferOutput<S> => {
    if (containsApiKey(text)) throw new Error('An API key does not belong in this option.');
    return read(text);
  };
};

const count = (least: number, most: number, alternative = '') =>
  v.pipe(wholeNumber(least, most, `Give a whole number from ${least} to ${most}${alternative}.`), v.transform(Number));

const NO_NAME = `Give 1 to ${MAX_NAME_CHARACTERS} characters that can be seen.`;
/** A name for people: none of its characters would disturb a terminal. */
export const readName = keyless(
  v.pipe(
    v.string(),
    v.trim(),
    maxCharacters(MAX_NAME_CHARACTERS, NO_NAME),
    v.check((name) => isVisible(name) && !hasUnseen(name), NO_NAME),
  ),
);

/** An e-mail address. */
export const readEmail = keyless(v.pipe(v.string(), v.rfcEmail(ADDRESS_RULE), v.check(isDeliverable, ADDRESS_RULE)));

/** The id of an account, a project or a key. */
export const readId = keyless(v.pipe(v.string(), v.regex(ID, 'Give an id as it was shown when it was created.')));

/** The id of a request, in either case. */
export const readRequestId = option(
  v.pipe(v.string(), v.toLowerCase(), v.regex(UUID, 'Give a requestId, such as 01a1fd70-f1c0-7c41-9d5b-3f2e8a6b1c0d.')),
);

/** The mode of a key. */
export const readMode = option(v.picklist(KEY_MODES, `Give ${KEY_MODES.join(' or ')}.`));
/** The state of keys: active or ended. */
export const readKeyState = option(v.picklist(KEY_STATES, `Give ${KEY_STATES.join(' or ')}.`));
/** How often a cap begins again. */
export const readCapPeriod = option(v.picklist(CAP_PERIODS, `Give one of ${CAP_PERIODS.join(', ')}.`));
/** A member's role. */
export const readRole = option(v.picklist(MEMBER_ROLES, `Give one of ${MEMBER_ROLES.join(', ')}.`));
/** The name of a stage. */
export const readStage = option(
  v.pipe(v.string(), v.regex(STAGE_NAME, 'Give the name of a stage: up to 16 lower-case letters and digits.')),
);

/** All scopes: those that operations require. */
export const SCOPES: readonly string[] = [...new Set(OPERATIONS.map(({ requires }) => requires.scope))];
const readOneScope = keyless(v.picklist(SCOPES, `There is no such scope. Give ${SCOPES.join(' or ')}.`));
/** Collects a repeatable option. */
export const readScope = (text: string, earlier: string[] | undefined): string[] => [
  ...(earlier ?? []),
  readOneScope(text),
];

/** Requests per minute. */
export const readRpm = option(count(1, MAX_RPM));
/** The most last entries to list: they are in memory. */
export const MAX_LAST = 10_000;
export const readLast = option(count(1, MAX_LAST));
/** How many entries to list. */
export const readLimit = option(count(1, Number.MAX_SAFE_INTEGER));

const Quota = count(0, MAX_UNITS_LIMIT, ' or none');
/** Request units, or `none` for a quota that is not enforced. */
export const readQuota = option(v.lazy((text) => (text === 'none' ? v.literal('none') : Quota)));

/** The number of a quota's shards. */
export const readShards = option(count(1, MAX_SHARDS));

const NO_DURATION = 'Give a number and a unit, such as 30s, 15m, 24h or 90d (at most 100 years).';
/** `<n>s|m|h|d` in milliseconds. */
export const readDuration = option(
  v.pipe(
    v.string(),
    v.regex(/^\d{1,12}[smhd]$/, NO_DURATION),
    v.transform((text) => Number(text.slice(0, -1)) * MS_PER_UNIT[text.slice(-1) as keyof typeof MS_PER_UNIT]),
    v.maxValue(MAX_DURATION_DAYS * MS_PER_UNIT.d, NO_DURATION),
  ),
);

const NO_TIME = 'Give a date or a time, such as 2026-11-21 or 2026-11-21T08:30:00Z.';
/** A moment in epoch milliseconds; a bare date is its first moment in UTC. */
export const readTime = option(
  v.pipe(
    v.string(),
    v.regex(TIME, NO_TIME),
    v.check((text) => isDate(text.split('T', 1)[0] ?? ''), NO_TIME),
    v.transform((text) => Date.parse(text)),
    v.minValue(FIRST_TIME_MS, NO_TIME),
    v.maxValue(LAST_TIME_MS, NO_TIME),
  ),
);

/** A moment as {@link readTime}, or a duration before now, such as `1h`. */
export const readPast = (text: string): number =>
  /^\d+[smhd]$/.test(text) ? system.clock.now() - readDuration(text) : readTime(text);

/** Date.parse reads February 30 as March 2, and rejects only some invalid dates. */
function isDate(date: string): boolean {
  const epochMs = Date.parse(date);
  return !Number.isNaN(epochMs) && isoTime(epochMs).startsWith(date);
}

/** Options of every command on an account, on a project, and on a key. */
export interface AccountOptions {
  readonly account: string;
}
export interface ProjectOptions {
  readonly project: string;
}
export interface KeyOptions extends ProjectOptions {
  readonly key: string;
}

/** A command on an account. */
export const onAccount = (name: string, description: string): Command =>
  new Command(name).description(description).requiredOption('--account <id>', 'the account (acc_…)', readId);

/** A command on a project. */
export const onProject = (name: string, description: string): Command =>
  new Command(name).description(description).requiredOption('--project <id>', 'the project', readId);

/** A command on a key. */
export const onKey = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .requiredOption('--project <id>', 'the project it belongs to', readId)
    .requiredOption('--key <id>', 'the id of the key (key_…)', readId);

/** Options of every command on a span of time. */
export interface SpanOptions {
  readonly since?: number;
  readonly until?: number;
}

/** Adds the options of a span of time to a command. */
export const withSpan = (command: Command): Command =>
  command
    .option(
      '--since <time>',
      'from this time on: 2026-11-21, 2026-11-21T08:30:00Z, or a duration before now: 1h',
      readPast,
    )
    .option('--until <time>', 'before this time', readPast);

/** Options of every command on the usage events of a project. */
export type ProjectSpanOptions = SpanOptions & ProjectOptions;

/** A command on the usage events of a project. */
export const onProjectSpan = (name: string, description: string): Command => withSpan(onProject(name, description));

/** The span in the options. Throws an error of one line when it ends before it begins. */
export function spanOf({ since, until }: SpanOptions): TimeSpan {
  if (since !== undefined && until !== undefined && since > until) throw new Error('--since is after --until.');
  return { sinceMs: since, untilMs: until };
}

/** The bounds of a span in JSON; null: none. */
export const boundsOf = ({ sinceMs, untilMs }: TimeSpan) => ({
  since: sinceMs === undefined ? null : isoTime(sinceMs),
  until: untilMs === undefined ? null : isoTime(untilMs),
});
