import type { Key, KeyDetails, UsageEvent } from '../api/schemas.ts';
import { DAY_MS, formatSpan } from '../text/format.ts';
import { programOf } from '../text/names.ts';
import { isActive } from './key-view.ts';

/** The last use of a key is known to the minute. */
const MINUTE_MS = 60_000;
/** A program that has not used a key for this time uses it seldom, if at all. */
const QUIET_MS = DAY_MS;

/** A key in the grace after its rotation, and its successor. Undefined: the successor does not work any more. */
export interface Rotation {
  readonly old: KeyDetails;
  readonly successor: Key | undefined;
  /** The newest request of the old key, if it is known: it has the second, and the key only the minute. */
  readonly newest?: UsageEvent | undefined;
}

/** Whether the old key of a rotation can be ended now: a short answer, its tone, and the reason. */
export interface Advice {
  readonly kind: 'good' | 'warn' | 'bad' | 'wait';
  readonly words: string;
  readonly why: string;
}

/** Whether a key is in the grace after its rotation. */
export const isInGrace = (key: Key, nowMs: number): boolean => key.replacedBy !== null && isActive(key, nowMs);

/** The advice whether the old key can be ended now. It says no more than is known. */
export function adviceOn({ old, successor, newest }: Rotation, nowMs: number): Advice {
  const { sinceRotation } = old;
  const lastUsed = newest && newest.occurredAt > (old.lastUsed ?? '') ? newest.occurredAt : old.lastUsed;
  if (old.paused) {
    const why = 'Its requests are refused already. Resumed, it works until its grace ends.';
    return { kind: 'wait', words: 'Paused', why };
  }
  if (!successor || successor.paused) {
    const state = successor ? 'is paused' : 'does not work any more';
    return { kind: 'bad', words: 'Not safe to end', why: `The new key ${state}: only this one works.` };
  }
  const rotatedMs = Date.parse(sinceRotation?.replacedAt ?? successor.createdAt);
  const lastUsedMs = lastUsed === null ? -Infinity : Date.parse(lastUsed);
  // Within the minute of the rotation only the count shows later requests.
  const unsureMs = sinceRotation === null ? MINUTE_MS : 0;
  const isUsedSince = (sinceRotation?.requests ?? 0) > 0 || lastUsedMs + unsureMs > rotatedMs;
  if (isUsedSince && (lastUsed === null || nowMs - lastUsedMs < QUIET_MS)) {
    const why = 'Some server still has the old key. Find it by its requests before the grace ends.';
    return { kind: 'warn', words: 'Not safe to end yet', why };
  }
  if (sinceRotation?.complete === false) {
    return { kind: 'wait', words: 'Still counting', why: 'Not all requests since the rotation are counted yet.' };
  }
  if (successor.lastUsed === null) {
    const why = 'The new key has not been used yet. Replace the old one with it, and look here again.';
    return { kind: 'wait', words: 'Too early to tell', why };
  }
  const quiet = isUsedSince
    ? `Nothing has used it for ${formatSpan(nowMs - lastUsedMs)}`
    : `Nothing has used it since the rotation, ${formatSpan(nowMs - rotatedMs)} ago`;
  const why = `${quiet}, and the new key is in use. A job that runs more seldom than that may still have the old one.`;
  return { kind: 'good', words: 'Looks safe to end', why };
}

/** Which keys of a rotation work: the title of its card. */
export function worksOf({ old, successor }: Rotation): string {
  const isNewWorking = successor !== undefined && !successor.paused;
  if (old.paused) return isNewWorking ? 'the old key is paused' : 'no key works';
  return isNewWorking ? 'two keys work' : 'only the old key works';
}

type Sent = Pick<UsageEvent, 'occurredAt' | 'userAgent' | 'sourceAddress'>;

/** Who sent a request: the program, as `name/version`, and its network address, as far as both are known. */
export const senderOf = ({ userAgent, sourceAddress }: Omit<Sent, 'occurredAt'>): string =>
  [nameAndVersionOf(userAgent), ...(sourceAddress === null ? [] : [sourceAddress])].join(' from ');

const nameAndVersionOf = (userAgent: string | null): string => {
  const program = programOf(userAgent);
  return program === userAgent ? (program.split(' ', 1)[0] ?? program) : program;
};

/** Who used a key after its rotation, each once. */
export const sendersOf = (events: readonly Sent[], replacedAt: string): readonly string[] => [
  ...new Set(events.filter(({ occurredAt }) => occurredAt > replacedAt).map(senderOf)),
];
