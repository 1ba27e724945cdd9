import type { UsageEvent } from '../api/schemas.ts';
import { counted, DAY_MS, formatCount } from '../text/format.ts';

/** For how long a success is stored: a repeat under its Idempotency-Key is free. */
const STORED_MS = DAY_MS;
/** The first characters of a tag tell the secret that it was made under; only tags of one secret can be compared. */
const SECRET_CHARACTERS = 3;

/** How the Idempotency-Keys of two requests compare; `none`: neither had one. */
type KeysAre = 'same' | 'different' | 'none' | 'unknown';

/** Compares the tags of two requests of a project; null: without an Idempotency-Key, undefined: not kept. */
export function compareTags(one: UsageEvent['idempotencyTag'], other: UsageEvent['idempotencyTag']): KeysAre {
  if (one === undefined || other === undefined) return 'unknown';
  if (one === other) return one === null ? 'none' : 'same';
  const isComparable = one === null || one.slice(0, SECRET_CHARACTERS) === other?.slice(0, SECRET_CHARACTERS);
  return isComparable || other === null ? 'different' : 'unknown';
}

/** Whether the bodies of two requests were the same: known where one has the stored answer of the other. */
export function compareBodies(one: UsageEvent, other: UsageEvent): 'same' | 'different' | 'unknown' {
  const repeat = [one, other].find(({ originalRequestId }) => originalRequestId !== null);
  const isOfOther = repeat && [one, other].some(({ requestId }) => requestId === repeat.originalRequestId);
  if (!isOfOther) return 'unknown';
  return repeat.event === 'idempotency_replay' ? 'same' : 'different';
}

/** Whether several requests of one name were charged more than once, and why. */
export interface Verdict {
  /** `Charged twice: 2 units.` */
  readonly answer: string;
  /** A few words about the Idempotency-Keys of those charged; empty: nothing is known. */
  readonly keys: string;
  readonly why: string;
  /** The two that are compared: those that were charged, the older one first. */
  readonly pair: readonly [UsageEvent, UsageEvent];
  readonly isChargedAgain: boolean;
}

/** The verdict on requests that belong together, newest first. Undefined: there are fewer than two. */
export function verdictOf(events: readonly UsageEvent[], isWhole: boolean): Verdict | undefined {
  const inOrder = events.toSorted((one, other) => (one.occurredAt < other.occurredAt ? -1 : 1));
  const charged = inOrder.filter(({ units }) => units > 0);
  const others = inOrder.filter(({ units }) => units === 0);
  const [one, other] = [...charged, ...others.toSorted(nearestTo(charged[0]))];
  if (!one || !other) return undefined;
  const units = counted(
    charged.reduce((sum, event) => sum + event.units, 0),
    'unit',
  );
  const times = charged.length === 0 ? 'Not charged' : `Charged ${often(charged.length)}`;
  const answer = `${times}: ${units}${isWhole ? '' : ', among those that were read'}.`;
  const isChargedAgain = charged.length > 1;
  const keys = isChargedAgain ? compareTags(one.idempotencyTag, other.idempotencyTag) : undefined;
  const pair = [one, other] as const;
  return {
    answer,
    keys: keys === undefined ? '' : IN_WORDS[keys],
    why: keys === undefined ? whyFree(other) : whyAgain(keys, pair),
    pair,
    isChargedAgain,
  };
}

/** Whether another request has the name of this one, or its stored answer. */
export const isRelated = ({ requestId, clientRequestId }: UsageEvent, other: UsageEvent): boolean =>
  other.requestId !== requestId &&
  (other.originalRequestId === requestId || (clientRequestId !== null && other.clientRequestId === clientRequestId));

/** How often each name was charged. */
export function chargesByName(events: readonly UsageEvent[]): ReadonlyMap<string | null, number> {
  const charges = new Map<string | null, number>();
  for (const { clientRequestId: name, units } of events) {
    if (units > 0) charges.set(name, (charges.get(name) ?? 0) + 1);
  }
  return charges;
}

/** `twice`. */
export const often = (count: number): string => ['once', 'twice'][count - 1] ?? `${formatCount(count)} times`;

/** Those that have the stored answer of this request come first. */
const nearestTo = (original: UsageEvent | undefined) => (one: UsageEvent, other: UsageEvent) =>
  Number(other.originalRequestId === original?.requestId) - Number(one.originalRequestId === original?.requestId);

const IN_WORDS: Readonly<Record<KeysAre, string>> = {
  same: 'the same Idempotency-Key',
  different: 'different Idempotency-Keys',
  none: 'no Idempotency-Key',
  unknown: '',
};

function whyAgain(keys: KeysAre, [one, other]: Verdict['pair']): string {
  const isWithinADay = Date.parse(other.occurredAt) - Date.parse(one.occurredAt) < STORED_MS;
  const isSameOperation = one.operation === other.operation;
  switch (keys) {
    case 'none':
      return 'They had no Idempotency-Key, so nothing says that one repeats the other.';
    case 'different':
      return one.idempotencyTag === null || other.idempotencyTag === null
        ? 'Only one of them had an Idempotency-Key, so nothing says that one repeats the other.'
        : 'They had different Idempotency-Keys, so they are two requests.';
    case 'same':
      if (!isWithinADay)
        return 'They had the same Idempotency-Key, more than 24 hours apart: the first was not stored any more.';
      return isSameOperation
        ? 'They had the same Idempotency-Key.'
        : 'They had the same Idempotency-Key, which counts for each operation by itself.';
    case 'unknown':
      return isWithinADay && isSameOperation
        ? 'Those charged had different Idempotency-Keys, or none: a repeat under the same one is free for 24 hours.'
        : 'Whether they had the same Idempotency-Key is unknown: one is from before this was kept, or the secret of the tags was changed in between.';
  }
}

const whyFree = ({ event, originalRequestId }: UsageEvent): string => {
  if (event === 'idempotency_replay')
    return 'The other repeated it under its Idempotency-Key, and got the stored answer: that is free.';
  if (originalRequestId !== null)
    return 'The other had its Idempotency-Key and another body: it was refused, which is free.';
  return 'What is refused is free.';
};
