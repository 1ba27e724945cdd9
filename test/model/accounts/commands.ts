import * as fc from 'fast-check';
import { DAY_MS, HOUR_MS, type Role } from './world.ts';

/** People of a sequence, and their browsers: the first ones have two. */
export const PEOPLE = 4;
export const BROWSERS = 6;

/** What one does in a browser, how often it is tried; and whether others can do something at the same moment. */
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
  renameKey: 1,
  revokeKey: 6,
  rotateKey: 8,
  deleteProfile: 3,
} as const;
/** Reads of several items, each as of its own moment: nothing goes on beside them. */
const READS = { session: 4, sessions: 6, members: 4, projects: 4, project: 1, keys: 4, audit: 6, events: 4 } as const;
/** What is done with the operator's command line, or with a key. */
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
} as const;
export type Action = keyof typeof ACTIONS | keyof typeof READS | keyof typeof OTHERS;
export const isByPerson = (action: Action): boolean => !(action in OTHERS);

/** Those whose request holds a name. */
export const NAMING: ReadonlySet<Action> = new Set([
  ...(['createAccount', 'renameAccount', 'createProject', 'renameProject', 'createKey', 'renameKey'] as const),
]);

/** Names as they are given and as they are kept; undefined: refused. */
const NAMES = [
  { given: 'Trips', kept: 'Trips' },
  { given: ' Maps\u00a0', kept: 'Maps' },
  { given: 'Cafe\u0301 \u202e<b>', kept: 'Caf\u00e9 \u202e<b>' },
  { given: ' ', kept: undefined },
] as const;

/** What is done, by whom and with what. Indices count modulo how many there are; each action takes what it needs. */
export interface Command {
  readonly do: Action;
  readonly browser: number;
  /** Does not sign in first where that is needed. */
  readonly signedOut: boolean;
  /** By a timer of the page. */
  readonly background: boolean;
  /** Chooses among everybody's things, not those that fit. */
  readonly strange: boolean;
  readonly account: number;
  readonly thing: number;
  readonly name: (typeof NAMES)[number];
  /** Whose address; one more than people: nobody's. */
  readonly address: number;
  /** In capitals. */
  readonly loud: boolean;
  readonly role: Role;
  readonly idempotencyKey: string | null;
  readonly days: number | undefined;
  readonly graceHours: number | undefined;
  /** Names the key that a rotation would have to end. */
  readonly namesPredecessor: boolean;
  readonly everywhere: boolean;
  readonly verified: boolean | undefined;
  readonly personName: string | undefined;
}

/** A command about things that there are: their ids, or ones that nobody has. */
export interface Asked extends Command {
  readonly accountId: string;
  readonly projectId: string;
  readonly keyId: string;
  /** Of a rotation: the key that it names as the one that ends. */
  readonly ends: string | undefined;
  readonly memberId: string;
  readonly sessionId: string;
  /** The whole key of a ping. */
  readonly key: string;
  readonly subject: string;
  /** Of a sign-in: what the provider says; of an invitation: for whom. */
  readonly email: string | undefined;
}

/** What ends by itself, one of which is waited for. */
const ENDS = ['minute', 'seen', 'idle', 'absolute', 'invitation', 'key', 'reissue'] as const;
export type End = (typeof ENDS)[number];

export type Step =
  | { readonly do: 'wait'; readonly ms: number }
  /** Until so long before or after the next end of that kind. */
  | { readonly do: 'waitFor'; readonly end: End; readonly offsetMs: number }
  /** By different people, at once. */
  | { readonly do: 'together'; readonly commands: readonly Command[] }
  | Command;

const mostly = <T>(usual: readonly T[], seldom: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: fc.constantFrom(...seldom) });
const weighted = (weights: Readonly<Record<string, number>>): fc.Arbitrary<Action> =>
  fc.oneof(...Object.entries(weights).map(([name, weight]) => ({ weight, arbitrary: fc.constant(name as Action) })));

const details = {
  // Mostly those who are a team from the beginning.
  browser: fc.constantFrom(0, 0, 1, 1, 2, 3, 4, 5),
  signedOut: mostly([false], [false, true]),
  background: mostly([false], [true]),
  strange: mostly([false], [true]),
  account: fc.nat(3),
  thing: fc.nat(5),
  name: mostly(NAMES.slice(0, -1), NAMES),
  address: fc.nat(PEOPLE),
  loud: mostly([false], [true]),
  role: fc.constantFrom<Role>('owner', 'member'),
  idempotencyKey: fc.constantFrom(null, null, 'k1', 'k2'),
  days: mostly<number | undefined>([undefined, 1], [30]),
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

/** What happens, in order; with `together` also at the same moment. */
export const sequences = (maxSteps: number, together: boolean): fc.Arbitrary<readonly Step[]> => {
  const atOnce: fc.Arbitrary<Step> = fc.record({
    do: fc.constant('together' as const),
    commands: fc.array(command({ ...ACTIONS, ...OTHERS }), { minLength: 2, maxLength: 3 }),
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
