import { apply, intercept, misbehavingServer, type Answer, type Attempt, type Behaviour } from './faults.ts';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A database call of a path. */
export interface Spot {
  readonly operation: string;
  /** The position among the path's calls of that operation, from 1 on. */
  readonly nth: number;
}

/** A fault of a call. */
export interface Fault {
  readonly name: string;
  /** The number of attempts that it strikes, of this call and of its replacements. */
  readonly times: number;
  /** Answers an attempt, from 0 on; `expire` ends the deadline of the request. */
  readonly strike: (attempt: Attempt, index: number, expire: () => void) => Promise<Answer>;
  /** Whether a repeat by the SDK succeeds. */
  readonly passes: boolean;
  /** Whether DynamoDB can answer this operation so. */
  readonly strikes: (operation: string) => boolean;
  readonly isConflict: boolean;
  /** Whether the engine has applied the call although it seems to have failed. */
  readonly isApplied: boolean;
  /** Whether it ends the whole request and not only this call. */
  readonly endsRequest: boolean;
}

type Server = Awaited<ReturnType<typeof misbehavingServer>>;
type Strike = (attempt: Attempt) => Promise<Answer>;

/** The SDK makes three attempts, so it can lose two. */
const TWICE = 2;
/** Instead of the second that an attempt may take: the SDK's own timer, made shorter. */
const PATIENCE_MS = 5;

/**
 * A repeat by the SDK conflicts with its own first attempt, which is still at work. The next attempt has a new token,
 * and its conditions fail because of what the first one wrote.
 */
const APPLIED_IN_CONFLICT = 'is applied, and said to be in conflict';

/** Every fault of a call. */
export function allFaults({ answer, refuse }: Server): Fault[] {
  const answers =
    (behaviour: Behaviour): Strike =>
    (attempt) =>
      answer(attempt, behaviour);
  const spoils =
    (behaviour: Behaviour): Strike =>
    async (attempt) => {
      await apply(attempt);
      return answer(attempt, behaviour);
    };
  const isSilent: Strike = (attempt) => answer(attempt, 'silent', PATIENCE_MS);
  const repeated: Record<string, readonly [Strike, Strike]> = {
    'is not reached: refused, reset': [refuse, answers('resets')],
    'is applied and its answer lost: reset, broken off': [spoils('resets'), spoils('breaksOff')],
    'is throttled: by the account, by the table': [answers('throttles'), answers('exceedsThroughput')],
    'is not answered in time': [isSilent, isSilent],
    'fails inside the store: 500, 503 without JSON': [answers('failsInside'), answers('isUnavailable')],
  };
  const stalls: Fault['strike'] = async (attempt, _index, expire) => {
    const begun = await spoils('stalls')(attempt);
    setImmediate(expire);
    return begun;
  };
  const conflicts: Strike = (attempt) =>
    answer(attempt, attempt.operation.startsWith('Transact') ? 'cancels' : 'conflicts');
  const appliedInConflict: Strike = async (attempt) => {
    await apply(attempt);
    return conflicts(attempt);
  };
  return [
    ...Object.entries(repeated).flatMap(([name, strikes]) => {
      const strike: Fault['strike'] = (attempt, index) => strikes[index % 2 === 0 ? 0 : 1](attempt);
      return [
        fault({ name: `${name}, once each`, times: TWICE, strike, passes: true }),
        fault({ name: `${name}, every time`, times: Infinity, strike }),
      ];
    }),
    ...(['answersHtml', 'truncates'] as const).map((behaviour) =>
      fault({ name: `is applied, and the store ${behaviour}`, times: 1, strike: spoils(behaviour) }),
    ),
    {
      ...fault({ name: 'is applied, and its answer stalls until the deadline', times: 1, strike: stalls }),
      endsRequest: true,
    },
    // Of the answer to a write that returns nothing, only the status is read.
    ...(['answersNothing', 'answersOtherTypes'] as const).map((behaviour) => ({
      ...fault({ name: `is applied, and the store ${behaviour}`, times: 1, strike: spoils(behaviour) }),
      strikes: (operation: string) => !['TransactWriteItems', 'PutItem'].includes(operation),
    })),
    ...[
      ...[1, 3, Infinity].map((times) => ({ name: `is in conflict ${times} times`, times, strike: conflicts })),
      { name: APPLIED_IN_CONFLICT, times: 1, strike: appliedInConflict },
    ].map((given) => ({
      ...fault({ ...given, passes: given.times < Infinity }),
      isConflict: true,
      // These reads cannot meet a conflict.
      strikes: (operation: string) => !['BatchGetItem', 'Query'].includes(operation),
    })),
  ];
}

const fault = (given: Pick<Fault, 'name' | 'times' | 'strike'> & { readonly passes?: boolean }): Fault => ({
  isApplied: given.name.startsWith('is applied'),
  passes: false,
  isConflict: false,
  endsRequest: false,
  strikes: () => true,
  ...given,
});

/** The calls of a path as spots. */
export const spotsOf = (calls: readonly string[]): Spot[] =>
  calls.map((operation, index) => ({
    operation,
    nth: calls.slice(0, index + 1).filter((call) => call === operation).length,
  }));

/** Applies a fault to a call of a client; `expire` ends the deadline of its request. */
export function inject(
  client: DynamoDBClient,
  { operation, nth }: Spot,
  { times, strike }: Fault,
  expire: () => void,
): void {
  const calls = new Set<string>();
  let struck = 0;
  intercept(client, (attempt) => {
    if (attempt.operation !== operation) return attempt.send();
    calls.add(attempt.callId);
    return calls.size < nth || struck === times ? attempt.send() : strike(attempt, struck++, expire);
  });
}
