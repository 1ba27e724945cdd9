/** The requests of the sequences, with what docs/api says about each. */

/** How the sender authenticates. `key`: with the key that the command names. */
export const CREDENTIALS = ['key', 'missing', 'malformed', 'forged', 'unknown'] as const;
export type Credential = (typeof CREDENTIALS)[number];

interface Input {
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The expected refusal. */
  readonly code?: 'INVALID_REQUEST' | 'INVALID_IDEMPOTENCY_KEY' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE';
  /** The JSON value of the request, in one spelling. */
  readonly means?: string;
  readonly clientRequestId?: string;
  /** What it asks for. */
  readonly simulate?: string;
  /** The units that an execution tells, where they follow from its result. */
  readonly cost?: number;
}

const SIMULATED = [
  ...(['ANSWER_LOST', 'API_KEY_REVOKED', 'PROJECT_SUSPENDED', 'RATE_LIMIT_EXCEEDED'] as const),
  ...([
    'IDEMPOTENCY_CONFLICT',
    'QUOTA_EXCEEDED',
    'KEY_QUOTA_EXCEEDED',
    'INTERNAL_ERROR',
    'SERVICE_UNAVAILABLE',
  ] as const),
];
const SIMULATIONS = Object.fromEntries(
  SIMULATED.map((simulate) => [simulate, { body: { simulate }, means: simulate, simulate }]),
) as Record<(typeof SIMULATED)[number], Input>;

/** Two spellings of one request, other requests, and every kind of invalid one; of two errors the first is answered. */
export const INPUTS = {
  empty: { body: {}, means: '{}' },
  a: { body: '{"clientRequestId":"model-request-a","more":[1,2]}', means: 'a', clientRequestId: 'model-request-a' },
  aAgain: {
    body: ' { "more" : [1.0, 2e0], "clientRequestId" : "\\u006dodel-request-a" } ',
    headers: { 'content-type': 'Application/JSON; charset=utf-8' },
    means: 'a',
    clientRequestId: 'model-request-a',
  },
  b: { body: { clientRequestId: 'model-request-b' }, means: 'b', clientRequestId: 'model-request-b' },
  one: { body: { cost: 1 }, means: 'one', cost: 1 },
  five: { body: { cost: 5 }, means: 'five', cost: 5 },
  /** More than any may cost. */
  six: { body: { cost: 6 }, means: 'six', cost: 6 },
  ...SIMULATIONS,
  badSimulation: { body: { simulate: 'NOTHING' }, code: 'INVALID_REQUEST' },
  tooLarge: { body: ' '.repeat(16 * 1024 + 1), headers: { 'content-type': 'text/plain' }, code: 'PAYLOAD_TOO_LARGE' },
  nothing: { body: null, headers: { 'content-type': 'text/plain' }, code: 'INVALID_REQUEST' },
  noJson: { body: 'no', headers: { 'content-type': 'text/plain' }, code: 'UNSUPPORTED_MEDIA_TYPE' },
  badIdempotencyKey: { body: 'no', headers: { 'idempotency-key': 'a b' }, code: 'INVALID_IDEMPOTENCY_KEY' },
  badJson: { body: '{"clientRequestId":', code: 'INVALID_REQUEST' },
  noObject: { body: '["model-request-a"]', code: 'INVALID_REQUEST' },
  noText: { body: { clientRequestId: 1 }, code: 'INVALID_REQUEST' },
} as const satisfies Record<string, Input>;
export type InputName = keyof typeof INPUTS;

/** An operation: the most that a success costs, and what one costs, with its tokens. */
interface Operation {
  readonly name: string;
  readonly path: string;
  readonly most: number;
  readonly costOf: (input: Input) => number;
  readonly tokensOf: (cost: number) => readonly [number, number, number] | null;
}
export type OperationName = 'ping' | 'triple' | 'upTo';
export const OPERATIONS: Readonly<Record<OperationName, Operation>> = {
  ping: { name: 'sandbox.ping', path: '/api/v1/sandbox/ping', most: 1, costOf: () => 1, tokensOf: () => null },
  triple: {
    name: 'test.triple',
    path: '/api/v1/sandbox/triple',
    most: 3,
    costOf: () => 3,
    tokensOf: () => [4, 8, 12],
  },
  upTo: {
    name: 'test.upTo',
    path: '/api/v1/sandbox/up-to',
    most: 5,
    costOf: ({ cost = 2 }) => cost,
    tokensOf: (cost) => [cost, 0, cost],
  },
};

export const inputOf = (name: InputName): Input => INPUTS[name];
