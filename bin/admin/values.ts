import { InvalidArgumentError } from 'commander';
import * as v from 'valibot';
import { STAGES, type Stage } from '../../functions/wiring.ts';
import { containsApiKey, KEY_MODES, type KeyMode } from '../../functions/core/api-key.ts';
import { isoTime } from '../../functions/core/clock.ts';
import { MEMBER_ROLES, type MemberRole } from '../../functions/accounts/members.ts';
import { hasUnseen } from './unseen.ts';

/** Readers of option values. Each throws `InvalidArgumentError` with what would have been right. */

const MAX_QUOTA_UNITS = 1_000_000_000;
const MAX_RPM = 1_000_000;
const MAX_NAME_CHARACTERS = 128;
const MAX_DURATION_DAYS = 36_500;
const MS_PER_UNIT = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const ID = /^[0-9A-Za-z_]{1,32}$/;
/** RFC 6749, section 3.3: a scope token. */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]{1,64}$/;
/** A date, or a date and time with its offset from UTC (RFC 3339). */
const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2}))?$/;

/** Times whose year has four digits in UTC: others do not sort as text. */
const FIRST_TIME_MS = Date.parse('0000-01-01T00:00:00Z');
const LAST_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** A name for people: not empty, at most 128 characters, none of which would disturb a terminal. */
export function readName(text: string): string {
  const name = withoutKey(text).trim();
  if (name === '' || name.length > MAX_NAME_CHARACTERS || hasUnseen(name)) {
    throw new InvalidArgumentError(`Give 1 to ${MAX_NAME_CHARACTERS} characters that can be seen.`);
  }
  return name;
}

/** An e-mail address. */
export function readEmail(text: string): string {
  if (!v.is(v.pipe(v.string(), v.email()), withoutKey(text))) throw new InvalidArgumentError('Give an e-mail address.');
  return text;
}

/** The id of an account, a project or a key. */
export function readId(text: string): string {
  if (!ID.test(withoutKey(text))) throw new InvalidArgumentError('Give an id as it was shown when it was created.');
  return text;
}

/** The mode of a key. */
export function readMode(text: string): KeyMode {
  const mode = KEY_MODES.find((known) => known === text);
  if (mode === undefined) throw new InvalidArgumentError(`Give ${KEY_MODES.join(' or ')}.`);
  return mode;
}

/** What a member may do. */
export function readRole(text: string): MemberRole {
  const role = MEMBER_ROLES.find((known) => known === text);
  if (role === undefined) throw new InvalidArgumentError(`Give ${MEMBER_ROLES.join(' or ')}.`);
  return role;
}

/** A stage that can be deployed. */
export function readStage(text: string): Stage {
  const stage = STAGES.find((known) => known === text);
  if (stage === undefined) throw new InvalidArgumentError(`Give one of ${STAGES.join(', ')}.`);
  return stage;
}

/** Collects a repeatable option. */
export function readScope(text: string, earlier: string[] | undefined): string[] {
  if (!SCOPE.test(withoutKey(text))) throw new InvalidArgumentError('Give a scope such as sandbox:invoke.');
  return [...(earlier ?? []), text];
}

/** Requests per minute. */
export const readRpm = (text: string): number => readInteger(text, 1, MAX_RPM);
/** How many entries to list. */
export const readLimit = (text: string): number => readInteger(text, 1, Number.MAX_SAFE_INTEGER);

/** Request units, or `none` for a quota that is not enforced. */
export const readQuota = (text: string): number | 'none' =>
  text === 'none' ? text : readInteger(text, 0, MAX_QUOTA_UNITS, ' or none');

/** `<n>s|m|h|d` in milliseconds. */
export function readDuration(text: string): number {
  const [, count, unit] = /^(\d{1,12})([smhd])$/.exec(text) ?? [];
  const durationMs = Number(count) * MS_PER_UNIT[unit as keyof typeof MS_PER_UNIT];
  if (!(durationMs <= MAX_DURATION_DAYS * MS_PER_UNIT.d)) {
    throw new InvalidArgumentError(`Give a number and a unit, such as 30s, 15m, 24h or 90d (at most 100 years).`);
  }
  return durationMs;
}

/** A moment in epoch milliseconds; a bare date is its first moment in UTC. */
export function readTime(text: string): number {
  const epochMs = TIME.test(text) ? Date.parse(text) : NaN;
  // Date.parse takes February 30 for March 2.
  const [date = ''] = text.split('T');
  const isInRange = epochMs >= FIRST_TIME_MS && epochMs <= LAST_TIME_MS;
  if (!isInRange || !isoTime(Date.parse(date)).startsWith(date)) {
    throw new InvalidArgumentError('Give a date or a time, such as 2026-11-21 or 2026-11-21T08:30:00Z.');
  }
  return epochMs;
}

/** An option's text, refused without being shown again when it holds a key: it would be stored or printed. */
function withoutKey(text: string): string {
  if (containsApiKey(text)) throw new Error('An API key does not belong in this option.');
  return text;
}

function readInteger(text: string, least: number, most: number, alternative = ''): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (!(value >= least && value <= most)) {
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}${alternative}.`);
  }
  return value;
}
