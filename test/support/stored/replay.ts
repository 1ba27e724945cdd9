import type { Item } from './items.ts';

/** What the audit says of one thing: the members of `before` and `after`. */
type State = Readonly<Record<string, unknown>>;
type Event = Item & {
  readonly at: string;
  readonly action: string;
  readonly accountId: string;
  readonly projectId?: string;
  readonly keyId?: string;
  readonly memberId?: string;
  readonly before: State | null;
  readonly after: State | null;
};

/** Members of an event that are no state of the thing. */
const NOT_STATE: ReadonlySet<unknown> = new Set(['changed']);
/** Members of events that tell of other things. */
const OF_OTHERS: ReadonlySet<string> = new Set(['projects', 'sessionsSince', 'capOf']);

/**
 * Replays the audit of an account from its beginning, each event on the state before it. Returns the last state:
 * attributes by kind and id. Throws if no order of simultaneous events makes every `before` true.
 *
 * @param shares whether a key shares the limit of others, which is no state of its own
 */
export function replayed(audit: readonly Item[], shares: (keyId: string) => boolean): ReadonlyMap<string, State> {
  const events = (audit as readonly Event[]).map(({ keyId, before, after, ...event }) => {
    const own = (state: State | null): State | null =>
      state && keyId !== undefined && shares(keyId) ? { ...state, unitsLimit: null } : state;
    return { ...event, ...(keyId !== undefined && { keyId }), before: own(before), after: own(after) };
  });
  const moments = [...new Set(events.map(({ at }) => at))].sort();
  let states: ReadonlyMap<string, State> = new Map();
  for (const moment of moments) {
    const next = played(
      states,
      events.filter(({ at }) => at === moment),
    );
    if (!next) throw new Error(`what the audit says was before ${moment} was not: ${JSON.stringify(events)}`);
    states = next;
  }
  return states;
}

/** The state after all these events in some order; undefined if no order is possible. */
function played(states: ReadonlyMap<string, State>, events: readonly Event[]): ReadonlyMap<string, State> | undefined {
  if (events.length === 0) return states;
  for (const event of events) {
    const next = apply(states, event);
    const rest = events.filter((other) => other !== event);
    const end = next && played(next, rest);
    if (end) return end;
  }
  return undefined;
}

function apply(states: ReadonlyMap<string, State>, event: Event): ReadonlyMap<string, State> | undefined {
  const { before, after } = event;
  const next = new Map(states);
  const name = nameOf(event);
  const known = next.get(name);
  if (event.action === 'account.create') {
    // The creator of an account is its first member.
    if (known) return undefined;
    if (event.memberId !== undefined) next.set(`member ${event.memberId}`, { ...after, status: 'active' });
    return next.set(name, { status: 'open' });
  }
  if (before === null) return known ? undefined : next.set(name, withoutOthers(after ?? {}));
  if (!known) return undefined;
  const claimed = Object.entries(withoutOthers(before));
  if (claimed.some(([attribute, value]) => JSON.stringify(known[attribute] ?? null) !== JSON.stringify(value))) {
    return undefined;
  }
  if (event.action === 'account.close') {
    const open = [...next].filter(([other, { status }]) => other.startsWith('project ') && status !== 'closed');
    const ids = open.map(([other]) => other.slice('project '.length)).sort();
    if (JSON.stringify(ids) !== JSON.stringify(before.projects)) return undefined;
    for (const [other, state] of open) next.set(other, { ...state, status: 'closed' });
  }
  if (after === null) next.delete(name);
  else next.set(name, { ...known, ...withoutOthers(after) });
  return next;
}

const withoutOthers = (state: State): State =>
  Object.fromEntries(
    Object.entries(state).filter(([attribute, value]) => !OF_OTHERS.has(attribute) && !NOT_STATE.has(value)),
  );

/** The kind and id of the thing that an event changes. */
function nameOf({ memberId, keyId, projectId, accountId, action }: Event): string {
  if (action === 'account.create') return `account ${accountId}`;
  if (memberId !== undefined) return `member ${memberId}`;
  if (keyId !== undefined) return `key ${keyId}`;
  if (projectId !== undefined) return `project ${projectId}`;
  return `account ${accountId}`;
}
