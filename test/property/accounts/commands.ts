import * as fc from 'fast-check';
import type { CapPeriod } from '../../../functions/shared/request/cap-period.ts';
import { DAY_MS, HOUR_MS } from '../../support/times.ts';

/** The people of a sequence and their browsers. The first people have two. */
export const PEOPLE = 4;
export const BROWSERS = 6;

/** Actions in a browser, and how often each is tried. */
const ACTIONS = {
  signIn: 4,
  signOut: 2,
  endSession: 4,
  createAccount: 6,
  renameAccount: 4,
  closeAccount: 1,
  invite: 12,
  accept: 10,
  decline: 2,
  changeRole: 8,
  remove: 8,
  leave: 2,
  createProject: 8,
  renameProject: 4,
  closeProject: 1,
  createKey: 14,
  shareCap: 8,
  renameKey: 1,
  capKey: 8,
  revokeKey: 6,
  rotateKey: 8,
  deleteProfile: 3,
} as const;
const READS = { session: 4, sessions: 6, members: 4, projects: 4, project: 1, keys: 4, audit: 6, events: 4 } as const;
/** Actions of the admin CLI, or with an API key. */
const OTHERS = {
  ping: 10,
  suspend: 2,
  resume: 4,
  operatorClosesProject: 1,
  operatorClosesAccount: 1,
  operatorRevokes: 1,
  operatorExpires: 1,
  operatorInvites: 2,
  operatorRemoves: 1,
  operatorSignsOut: 1,
  operatorDeletesPerson: 5,
} as const;
export type Action = keyof typeof ACTIONS | keyof typeof READS | keyof typeof OTHERS;
export const isByPerson = (action: Action): boolean => !(action in OTHERS);

/** What only a member of the account may do, and what only an owner may. */
export const OF_MEMBERS: ReadonlySet<Action> = new Set([
  ...(['members', 'leave', 'projects', 'project', 'createProject', 'renameProject', 'events'] as const),
  ...(['keys', 'createKey', 'shareCap', 'renameKey', 'capKey', 'revokeKey', 'rotateKey'] as const),
]);
export const OF_OWNERS: ReadonlySet<Action> = new Set([
  ...(['renameAccount', 'closeAccount', 'invite', 'changeRole', 'audit', 'closeProject'] as const),
]);

/** The last one is refused. */
const NAMES = ['Trips', ' Maps\u00a0', 'Cafe\u0301 \u202e<b>', ' '] as const;

/**
 * An action, its person and its arguments. Indices count modulo the number of things. Each action reads what it needs.
 */
export interface Command {
  readonly do: Action;
  readonly browser: number;
  /** Does not sign in first, even if the action needs it. */
  readonly signedOut: boolean;
  /** Sent by a timer of the page. */
  readonly background: boolean;
  /** Chooses among the things of everybody, and not only among suitable ones. */
  readonly strange: boolean;
  readonly account: number;
  readonly thing: number;
  readonly name: (typeof NAMES)[number];
  /** The person of the address. The last index is nobody's address. */
  readonly address: number;
  /** Writes the address in capitals. */
  readonly loud: boolean;
  readonly role: 'owner' | 'member';
  readonly idempotencyKey: string | null;
  readonly days: number | undefined;
  /** Of a new or changed key. */
  readonly unitsLimit: number | null | undefined;
  readonly unitsPeriod: CapPeriod | undefined;
  readonly graceHours: number | undefined;
  /** The request names the key that a rotation would end. */
  readonly namesPredecessor: boolean;
  readonly everywhere: boolean;
  readonly verified: boolean | undefined;
  readonly personName: string | undefined;
}

/** A command with ids: of existing things, or ids that nobody has. */
export interface Asked extends Command {
  readonly accountId: string;
  readonly projectId: string;
  readonly keyId: string;
  /** For a rotation: the key that the request names as the one that ends. */
  readonly ends: string | undefined;
  readonly memberId: string;
  readonly sessionId: string;
  /** For a ping: the whole API key. */
  readonly key: string;
  readonly subject: string;
  readonly ownEmail: string;
  /** For a sign-in: what the provider says. For an invitation: the address. */
  readonly email: string | undefined;
}

/** Ends that come with time. A sequence waits for one of them. */
const ENDS = ['minute', 'seen', 'idle', 'absolute', 'invitation', 'key', 'reissue'] as const;
export type End = (typeof ENDS)[number];

export type Step =
  | { readonly do: 'wait'; readonly ms: number }
  /** Waits until this long before or after the next end of that kind. */
  | { readonly do: 'waitFor'; readonly end: End; readonly offsetMs: number }
  /** Commands at the same moment. */
  | { readonly do: 'together'; readonly commands: readonly Command[] }
  | Command;

const mostly = <T>(usual: readonly T[], seldom: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: fc.constantFrom(...seldom) });
const weighted = (weights: Readonly<Record<string, number>>): fc.Arbitrary<Action> =>
  fc.oneof(...Object.entries(weights).map(([name, weight]) => ({ weight, arbitrary: fc.constant(name as Action) })));

const details = {
  // Mostly the people who are a team from the beginning.
  browser: fc.constantFrom(0, 0, 1, 1, 2, 3, 4, 5),
  signedOut: mostly([false], [false, true]),
  background: mostly([false], [true]),
  strange: mostly([false], [true]),
  account: fc.nat(3),
  thing: fc.nat(5),
  name: mostly(NAMES.slice(0, -1), NAMES),
  address: fc.nat(PEOPLE),
  loud: mostly([false], [true]),
  role: fc.constantFrom('owner' as const, 'member' as const),
  idempotencyKey: fc.constantFrom(null, null, 'k1', 'k2'),
  days: mostly<number | undefined>([undefined, 1], [30]),
  unitsLimit: fc.constantFrom(undefined, undefined, null, 0, 1, 2),
  unitsPeriod: fc.constantFrom(undefined, undefined, 'day', 'week', 'month', 'once', 'once'),
  graceHours: fc.constantFrom(undefined, 0, 1, 168),
  namesPredecessor: fc.boolean(),
  everywhere: fc.boolean(),
  verified: mostly<boolean | undefined>([true], [false, undefined]),
  personName: fc.constantFrom('Ada', 'Ada', undefined, 'Bob'),
};
const command = (weights: Readonly<Record<string, number>>): fc.Arbitrary<Command> =>
  fc.record({ do: weighted(weights), ...details });

const waiting: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(60_000, 60_000, 11 * 60_000, HOUR_MS, DAY_MS) }),
  fc.record({
    do: fc.constant('waitFor' as const),
    end: fc.constantFrom(...ENDS, 'minute' as const, 'invitation' as const),
    offsetMs: fc.constantFrom(-1, 0, 0),
  }),
);

/** The steps, in order; those of `together` at the same moment. */
export const sequences = (maxSteps: number, together: boolean): fc.Arbitrary<readonly Step[]> => {
  const atOnce: fc.Arbitrary<Step> = fc.record({
    do: fc.constant('together' as const),
    commands: fc.array(command({ ...ACTIONS, ...READS, ...OTHERS }), { minLength: 2, maxLength: 3 }),
  });
  return fc.array(
    fc.oneof(
      { weight: 12, arbitrary: command({ ...ACTIONS, ...READS, ...OTHERS }) },
      { weight: 2, arbitrary: waiting },
      ...(together ? [{ weight: 5, arbitrary: atOnce }] : []),
    ),
    { minLength: 1, maxLength: maxSteps, size: 'max' },
  );
};
