import { isoTime, MS_PER_MINUTE, MS_PER_SECOND, secondsUntil } from '../../shared/time.ts';
import { accountItemKey } from '../store/account-items.ts';
import type { Caller, Change, AccountStore } from '../store/account-store.ts';
import { updateUnlessStale } from '../store/writes.ts';
import { counted, counting, type Counter } from '../store/counters.ts';
import { instanceMemory } from '../store/instance-memory.ts';
import { TooManyRequestsError } from '../store/refusals.ts';
import { usedByUnderEach } from './used.ts';

/** The reads, and the changes, that all tokens of an account together may make in a minute. */
const ALL_TOKENS_PER_MINUTE = 300;

/** A person, by the identity: it stays the same when the profile is deleted and made again. Or a token. */
type Counted = Pick<Caller, 'identityHash' | 'countedAs'>;
type Kind = 'CHANGES' | 'READS' | 'SIGN-INS';

/** Counts a change of a person or a token, as a part of that change. */
export const countedChange = (store: AccountStore, caller: Caller): Promise<Change[]> =>
  countedIn(store, caller, 'CHANGES', caller.limits.changesPerMinute);

/** Counts a sign-in, as a part of its transaction. */
export const countedSignIn = (store: AccountStore, person: Counted, perMinute: number): Promise<Change[]> =>
  countedIn(store, person, 'SIGN-INS', perMinute);

const countedIn = async (store: AccountStore, who: Counted, kind: Kind, limit: number): Promise<Change[]> =>
  (await countersOf(store, who, kind, limit)).map((counter) => {
    if (isUsedUp(store, counter)) throw tooMany(store, counter);
    return counted(store, counter, () => noteUsedUp(store, counter));
  });

// The count of a minute only grows. So what was refused once is refused without another write.
const MAX_KNOWN = 1_000;
const refusedOf = instanceMemory(MAX_KNOWN);
const nameOf = ({ key, part, limit }: Counter): string => `${key.pk} ${key.sk} ${part?.name} ${part?.limit ?? limit}`;
const isUsedUp = (store: AccountStore, counter: Counter): boolean => refusedOf(store).has(nameOf(counter));

function noteUsedUp(store: AccountStore, counter: Counter): TooManyRequestsError {
  refusedOf(store).add(nameOf(counter));
  return tooMany(store, counter);
}

/**
 * Counts a read of usage or events of the calling person or token. Throws `TooManyRequestsError` when the limit of the
 * minute is used up.
 */
export async function countRead(store: AccountStore): Promise<void> {
  const { caller } = store;
  if (!caller) throw new Error('the reads of an operator are not counted');
  // One after the other, and in one order: so what the first lets through is within the limit of the second.
  for (const counter of await countersOf(store, caller, 'READS', caller.limits.readsPerMinute)) {
    if (isUsedUp(store, counter)) throw tooMany(store, counter);
    if (!(await updateUnlessStale(store, counting(counter)))) throw noteUsedUp(store, counter);
  }
}

/**
 * The counters of a kind of requests in this minute. Of a person there is one, and another while the stage changes its
 * secret. All tokens of an account have one together, with a part for each.
 */
async function countersOf(store: AccountStore, who: Counted, kind: Kind, limit: number): Promise<Counter[]> {
  const startMs = Math.floor(store.clock.now() / MS_PER_MINUTE) * MS_PER_MINUTE;
  const counter = (usedBy: string) => ({
    key: accountItemKey.minute(usedBy, kind, isoTime(startMs)),
    limit,
    endEpochSeconds: (startMs + MS_PER_MINUTE) / MS_PER_SECOND,
  });
  if (!who.countedAs) return (await usedByUnderEach(store, who)).map(({ id }) => counter(id));
  const { accountId, part: name } = who.countedAs;
  return [{ ...counter(accountId), limit: ALL_TOKENS_PER_MINUTE, part: { name, limit } }];
}

const tooMany = ({ clock }: AccountStore, { endEpochSeconds }: Counter): TooManyRequestsError =>
  new TooManyRequestsError(secondsUntil(endEpochSeconds, clock.now()));
