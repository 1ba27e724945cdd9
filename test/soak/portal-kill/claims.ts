import assert from 'node:assert/strict';
import type { Item } from '../../support/stored/items.ts';
import type { Outcome, Visitor } from './asking.ts';

/** An audit event as its requester knows it. */
export interface Event {
  readonly action: string;
  readonly accountId: string;
  /** Public id of its subject; undefined if no answer told it. */
  readonly about: string | undefined;
  /** The name that was asked for. */
  readonly name?: string | undefined;
}

/**
 * What people know of their changes, for a comparison with the audit. A change has one event, a refused
 * one has none, and one that was repeated and then refused may have been made once before.
 */
export function claims() {
  /** The least and the largest number of each event. */
  const known = new Map<string, { least: number; most: number }>();
  const add = (event: string, least: number, most: number): void => {
    const before = known.get(event) ?? { least: 0, most: 0 };
    known.set(event, { least: before.least + least, most: before.most + most });
  };
  return {
    /** Records an answered change. `repeats` are events that each repeat of it may leave. */
    note: ({ userId }: Visitor, { code, lost }: Outcome, events: readonly Event[], repeats: readonly Event[] = []) => {
      const isDone = code === undefined;
      for (const event of events) add(textOf(`user:${userId}`, event), Number(isDone), Number(isDone || lost > 0));
      for (const event of repeats) add(textOf(`user:${userId}`, event), 0, lost);
    },
    /** Throws if these audit events differ. */
    compare: (audit: readonly Item[]): void => {
      const counts = new Map<string, number>();
      for (const told of audit) {
        const [named, unheard] = [toldOf(told, true), toldOf(told, false)];
        const event = known.has(named) ? named : unheard;
        counts.set(event, (counts.get(event) ?? 0) + 1);
      }
      for (const [event, count] of counts) assert.ok(known.has(event), `nobody asked for ${count} of: ${event}`);
      for (const [event, { least, most }] of known) {
        const count = counts.get(event) ?? 0;
        assert.ok(count >= least && count <= most, `${count}, not ${least} to ${most}, of: ${event}`);
      }
    },
  };
}
export type Claims = ReturnType<typeof claims>;

/** The audit contains the new name only of a project and of a key. */
const textOf = (actor: string, { action, accountId, about = 'of an unknown id', name = '' }: Event): string =>
  [actor, action, accountId, about, /^(key|project)\.update$/.test(action) ? name : ''].join(' ');

/** The same for a stored event. `isKnown` says whether an answer told its id. */
function toldOf(event: Item, isKnown: boolean): string {
  const {
    actor = '',
    action = '',
    accountId = '',
    keyId,
    memberId,
    projectId,
    after,
  } = event as Readonly<Record<string, string>> & { readonly after: { readonly name?: string } | null };
  // The creator of an account is its first member.
  const about = action === 'account.create' ? accountId : (keyId ?? memberId ?? projectId ?? accountId);
  // Which of the three the end of a membership is, is decided by who is first.
  const kind = action.replace(/^member\.(leave|withdraw)$/, 'member.remove');
  return textOf(actor, { action: kind, accountId, about: isKnown ? about : undefined, name: after?.name });
}
