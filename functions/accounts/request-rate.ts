import { isoTime, MS_PER_MINUTE, MS_PER_SECOND, secondsUntil } from '../shared/rules/clock.ts';
import { accountItemKey } from './account-items.ts';
import type { Caller, Change, AccountStore } from './account-store.ts';
import { updateUnlessStale } from './conditional-writes.ts';
import { counted, counting, type Counter } from './counters.ts';
import { instanceMemory } from './instance-memory.ts';
import { TooManyRequestsError } from './refusals.ts';
import { usedBy } from './used-limits.ts';

/** The person, by the identity: it stays the same when the profile is deleted and made again. */
type Person = Pick<Caller, 'userId' | 'identityHash'>;

/** Counts a change of a person, as a part of that change. */
export const countedChange = async (store: AccountStore, caller: Caller): Promise<Change> =>
  countedIn(store, await counterOf(store, caller, 'CHANGES', caller.limits.changesPerMinute));

/** Counts a sign-in, as a part of its transaction. */
export const countedSignIn = async (store: AccountStore, person: Person, perMinute: number): Promise<Change> =>
  countedIn(store, await counterOf(store, person, 'SIGN-INS', perMinute));

function countedIn(store: AccountStore, counter: Counter): Change {
  // The count of a minute only grows. So what was refused once is refused without another transaction.
  const known = refusedOf(store);
  const name = `${counter.key.pk} ${counter.key.sk} ${counter.limit}`;
  if (known.has(name)) throw tooMany(store, counter);
  return counted(store, counter, () => {
    known.add(name);
    return tooMany(store, counter);
  });
}

const MAX_KNOWN = 1_000;
const refusedOf = instanceMemory(MAX_KNOWN);

/**
 * Counts a read of usage or events of the calling person. Throws `TooManyRequestsError` when the limit of the minute is
 * used up.
 */
export async function countRead(store: AccountStore): Promise<void> {
  const { caller } = store;
  if (!caller) throw new Error('the reads of an operator are not counted');
  const counter = await counterOf(store, caller, 'READS', caller.limits.readsPerMinute);
  if (!(await updateUnlessStale(store, counting(counter)))) throw tooMany(store, counter);
}

/** The counter of a person's requests of a kind in this minute. */
async function counterOf(
  store: AccountStore,
  person: Person,
  kind: 'CHANGES' | 'READS' | 'SIGN-INS',
  limit: number,
): Promise<Counter> {
  const startMs = Math.floor(store.clock.now() / MS_PER_MINUTE) * MS_PER_MINUTE;
  return {
    key: accountItemKey.minute(await usedBy(store, person), kind, isoTime(startMs)),
    limit,
    endEpochSeconds: (startMs + MS_PER_MINUTE) / MS_PER_SECOND,
  };
}

const tooMany = ({ clock }: AccountStore, { endEpochSeconds }: Counter): TooManyRequestsError =>
  new TooManyRequestsError(secondsUntil(endEpochSeconds, clock.now()));
