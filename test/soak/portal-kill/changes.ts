import assert from 'node:assert/strict';
import type { Asked } from './wire.ts';
import type { Outcome, Visitor } from './asking.ts';
import type { Claims, Event } from './claims.ts';

/** The team of one account, and what its people made. */
export interface Team {
  readonly accountId: string;
  /** An owner who stays one, and who invites, removes and gives roles. */
  readonly owner: Visitor;
  readonly members: readonly { readonly visitor: Visitor; readonly memberId: string }[];
  /** Only its creator renames or closes a project, so that its history is known. */
  readonly projects: { readonly projectId: string; readonly maker: Visitor; isClosed: boolean }[];
}

/** An action of a person in a team. `chance`, from 0 to below 1, selects its target. */
export type Act = (team: Team, who: Visitor, chance: number) => Promise<void>;

/** Refusals that changes of others may cause. */
const USUAL: ReadonlySet<string> = new Set(['NOT_FOUND', 'LIMIT_REACHED', 'CHANGED_MEANWHILE', 'OWNER_ONLY']);

/** The functions that all actions use. */
export function changes(claims: Claims) {
  let named = 0;
  /** Records an answer, and returns whether the change was made. Throws an unexpected refusal. */
  const done = (who: Visitor, outcome: Outcome, events: readonly Event[], repeats: readonly Event[] = []): boolean => {
    const { code, lost } = outcome;
    assert.ok(code === undefined || USUAL.has(code), `${events[0]?.action} is refused: ${code}, asked again ${lost}`);
    claims.note(who, outcome, events, repeats);
    return code === undefined;
  };
  return {
    claims,
    /** A name that nothing else has. */
    newName: (): string => `name ${named++}`,
    done,
    /** Requests a change until it is made or refused. A change that was stale is requested again. */
    change: async (who: Visitor, asked: Asked, event: Event | ((body: Outcome['body']) => Event)): Promise<Outcome> => {
      for (;;) {
        const outcome = await who.ask(...asked);
        const isDone = done(who, outcome, [typeof event === 'function' ? event(outcome.body) : event]);
        if (isDone || outcome.code !== 'CHANGED_MEANWHILE') return outcome;
      }
    },
  };
}
export type Changes = ReturnType<typeof changes>;

/** Selects one of some things. */
export const pick = <T>(things: readonly T[], chance: number): T | undefined =>
  things[Math.floor(chance * things.length)];
