import * as v from 'valibot';
import type { ErrorCode } from '../http/errors.ts';
import type { Deadline } from '../deadline.ts';
import type { AccessRequirement } from './admission.ts';
import { SANDBOX_MODE, SANDBOX_SCOPE } from '../credentials/credential-text.ts';
import { MAX_CLIENT_REQUEST_ID_CHARACTERS } from '../choices.ts';
import type { TokenCounts } from './usage-event.ts';
import { maxCharacters, memberNames, validate } from '../http/input.ts';

/** The refusals and failures that a request can simulate. Each is one of the catalogue, in its order of precedence. */
export const SIMULATED_CODES = [
  'API_KEY_REVOKED',
  'API_KEY_EXPIRED',
  'API_KEY_PAUSED',
  'INSUFFICIENT_SCOPE',
  'PROJECT_SUSPENDED',
  'RATE_LIMIT_EXCEEDED',
  'IDEMPOTENCY_CONFLICT',
  'QUOTA_EXCEEDED',
  'KEY_QUOTA_EXCEEDED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
] as const satisfies readonly ErrorCode[];
export type SimulatedCode = (typeof SIMULATED_CODES)[number];

/** The request is executed, charged and stored; only its answer is a 503. */
export const ANSWER_LOST = 'ANSWER_LOST';

/** The values of `simulate` in the body of a metered request. */
export const SIMULATIONS = [...SIMULATED_CODES, ANSWER_LOST] as const;
type Simulation = (typeof SIMULATIONS)[number];

/**
 * Request units that a success costs, a whole number from 1 to 10⁹; or the most that it may cost, where only its result
 * tells how many. `most` may only rise: below it, `ledger verify` would call dearer events of before irregular.
 */
export type Units = number | { readonly most: number };

/** The most that a success costs: so much must be left before it is executed. */
export const mostOf = (units: Units): number => (typeof units === 'number' ? units : units.most);

/** Whether a success may have cost this. */
export const mayCost = (units: Units, cost: unknown): cost is number =>
  typeof units === 'number' ? cost === units : isWhole(cost) && cost > 0 && cost <= units.most;
const isWhole = Number.isInteger as (value: unknown) => value is number;

/** The properties of an operation that every part of the gateway knows. */
export interface Operation {
  /** Name in usage events and logs, such as `sandbox.ping`. */
  readonly name: string;
  readonly method: 'POST';
  readonly path: string;
  /** The required access of the key. */
  readonly requires: AccessRequirement;
  readonly units: Units;
}

/** What an execution may use of its request. */
interface ExecutionContext {
  /** That of the answer and of the usage event. */
  readonly requestId: string;
  /** Aborts when the request is answered with 503: give it to every call of a backend. */
  readonly deadline: Deadline;
}

/** The result of an execution. It tells its units where the operation has only a `most`: any but 1 to that are a 500. */
type OperationResult<U extends Units> = Answer &
  (U extends number ? { readonly units?: never } : { readonly units: number });

interface Answer {
  /** Members of the response body; the gateway adds `requestId` at its end. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Absent: no model was involved, and the counts of the usage event are null. */
  readonly tokens?: TokenCounts;
}

/** A request body that an operation accepts. */
export interface OperationInput {
  readonly clientRequestId?: string | undefined;
  /** What the request simulates (docs/api/limits.md, "Simulations"). */
  readonly simulate?: Simulation | undefined;
}

/** A metered operation: how its body is read, and what it does. */
export interface MeteredOperation<U extends Units = Units> extends Operation {
  readonly units: U;
  /** Names of the members of the body, `clientRequestId` and `simulate` among them. */
  readonly members: readonly string[];
  /** The body of a request, or one sentence about what is wrong with it. Unknown members are ignored. */
  readonly read: (body: object) => OperationInput | string;
  /**
   * Runs before the charge, and never for a replay. Identical requests at once may each run it: one is charged, and the
   * others get its stored answer. Two more cases run it without a charge: a limit that is reached meanwhile, and a
   * settlement that fails. If it throws, the answer is a 500 and nothing is charged.
   */
  readonly execute: (
    input: OperationInput,
    context: ExecutionContext,
  ) => OperationResult<U> | Promise<OperationResult<U>>;
}

/** The definition of a metered operation, with the type of its checked body. */
interface Definition<Entries extends v.ObjectEntries, U extends Units> extends Operation {
  readonly units: U;
  /**
   * Members of the request body, except `clientRequestId` and `simulate`. The message of the first check that fails is
   * the error's `detail`: fixed text, without input. A check without a message gets one that names the member.
   */
  readonly body: Entries;
  readonly execute: (
    input: v.InferOutput<v.ObjectSchema<Entries, undefined>> & OperationInput,
    context: ExecutionContext,
  ) => OperationResult<U> | Promise<OperationResult<U>>;
}

/** The access that every sandbox operation requires: a test key with the scope `sandbox:invoke`. */
export const SANDBOX_ACCESS: AccessRequirement = { mode: SANDBOX_MODE, scope: SANDBOX_SCOPE };

/** A member that every operation's body may have. It is stored in the usage event. */
const clientRequestId = v.optional(
  v.pipe(
    v.string('clientRequestId must be a string.'),
    maxCharacters(
      MAX_CLIENT_REQUEST_ID_CHARACTERS,
      `clientRequestId must be at most ${MAX_CLIENT_REQUEST_ID_CHARACTERS} characters.`,
    ),
  ),
);

/**
 * The other member that the body of every test operation may have. Nothing else of a request asks for a simulation, and
 * no header does, so that every client can send it.
 */
const simulate = v.optional(v.picklist(SIMULATIONS, `simulate must be one of ${SIMULATIONS.join(', ')}.`));
/** A live operation never simulates, since others rely on its answers. */
const noSimulation = v.optional(v.never('simulate is for test keys only.'));

/** Defines a metered operation. */
export function meteredOperation<Entries extends v.ObjectEntries, U extends Units>({
  body,
  execute,
  ...operation
}: Definition<Entries, U>): MeteredOperation<U> {
  const schema = v.object({
    ...body,
    clientRequestId,
    simulate: operation.requires.mode === SANDBOX_MODE ? simulate : noSimulation,
  });
  const members = memberNames(schema);
  return {
    ...operation,
    members,
    read: (json) => {
      const validated = validate(schema, json);
      return validated.ok ? validated.value : validated.detail;
    },
    // `read` made the input by the schema above.
    execute: (input, context) => execute(input as Parameters<typeof execute>[0], context),
  };
}
