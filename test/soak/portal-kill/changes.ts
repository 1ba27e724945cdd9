import assert from 'node:assert/strict';
import type { Asked } from '../team/wire.ts';
import type { Outcome, Visitor } from './asking.ts';
import type { Claims, Event } from './claims.ts';

/** A team of one account, and what its people made there. */
export interface Team {
  readonly accountId: string;
  /** An owner for good, who invites, removes and gives roles. */
  readonly owner: Visitor;
  readonly members: readonly { readonly visitor: Visitor; readonly memberId: string }[];
  /** Each is named, and closed, by who made it alone, so that it is known what was done to it. */
  readonly projects: { readonly projectId: string; readonly maker: Visitor; isClosed: boolean }[];
}

/** Something that somebody does in a team; `chance`, from 0 up to, but without, 1, decides to what. */
export type Act = (team: Team, who: Visitor, chance: number) => Promise<void>;

/** Refusals of what others may have ended, filled or changed meanwhile. */
const USUAL: ReadonlySet<string> = new Set(['NOT_FOUND', 'LIMIT_REACHED', 'CHANGED_MEANWHILE', 'OWNER_ONLY']);

/** What all that people do is made of. */
export function changes(claims: Claims) {
  let named = 0;
  /** Notes what was answered, and whether it was done. Throws for another refusal than usual. */
  const done = (who: Visitor, outcome: Outcome, events: readonly Event[], repeats: readonly Event[] = []): boolean => {
    const { code, lost } = outcome;
    assert.ok(code === undefined || USUAL.has(code), `${events[0]?.action} is refused: ${code}, asked again ${lost}`);
    claims.note(who, outcome, events, repeats);
    return code === undefined;
  };
  return {
    claims,
    /** That nothing else has. */
    newName: (): string => `name ${named++}`,
    done,
    /** Asks for a change until it is done or refused: what only met others, and was told so, is asked for anew. */
    change: async (
      who: Visitor,
      kind: string,
      asked: Asked,
      event: Event | ((body: Outcome['body']) => Event),
    ): Promise<Outcome> => {
      for (;;) {
        const outcome = await who.ask(kind, ...asked);
        const isDone = done(who, outcome, [typeof event === 'function' ? event(outcome.body) : event]);
        if (isDone || outcome.code !== 'CHANGED_MEANWHILE') return outcome;
      }
    },
  };
}
export type Changes = ReturnType<typeof changes>;

/** One of some things, by chance. */
export const pick = <T>(things: readonly T[], chance: number): T | undefined =>
  things[Math.floor(chance * things.length)];
