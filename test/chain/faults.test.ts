import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { system } from '../../functions/shared/system.ts';
import { IS_FULL } from '../support/extent.ts';
import { allFaults, inject, spotsOf, type Fault, type Spot } from '../support/fault-cases.ts';
import { recordCalls } from '../support/database.ts';
import { intercept, misbehavingServer, transport } from '../support/faults.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';
import { againOf, outcomeOf, PATHS, pathWhere, type Path } from '../support/paths.ts';
import { assertBooks } from '../support/books.ts';
import type { Visit } from '../support/visits.ts';
import { testDeadline, within } from '../support/deadline.ts';

/** The maximum time of an answer. */
const MAX_ANSWER_MS = 5_000;
const UNAVAILABLE = '503 SERVICE_UNAVAILABLE';
const SETTLED = ['a success under an Idempotency-Key', 'a success whose answer is to be lost'];

const server = await misbehavingServer();
afterAll(server.close);
// The SDK's back-off is uniform from 0 on: here it is always the shortest.
beforeAll(() => void jest.spyOn(Math, 'random').mockReturnValue(0));
afterAll(() => void jest.restoreAllMocks());

const isSuccess = (outcome: string): boolean => outcome.startsWith('200');
const FAULTS = allFaults(server);
const ROWS = PATHS.flatMap((path) =>
  spotsOf(path.calls)
    .slice(path.tried)
    .map((spot) => ({ path, spot, ...path, ...spot })),
);
/** A landing tries the call that decides in the ledger: a charge, its event and its replay record are one write. */
const isSettlement = ({ name, operation }: (typeof ROWS)[number]): boolean =>
  SETTLED.includes(name) && operation === 'TransactWriteItems';

test.each(PATHS)('$name makes the calls of its row, and no others', async (path) => {
  const { prepare, calls } = path;
  const visit = await (await prepare(testGateway()))('a');
  const gateway = testGateway();
  visit.arrange?.(gateway.client);
  const made = recordCalls(gateway.client);
  expect(outcomeOf(await gateway.ping(visit.key, visit.request))).toBe(path.outcome);
  expect(made.commands).toEqual(calls);
  // The first two run at once; a third one waits for both.
  if (calls.length <= 3) expect(made.roundTrips).toBe(Math.max(0, calls.length - 1));
  expect(gateway.telemetry.metrics).toEqual(metricsOf(path));
});

describe('a call that fails', () => {
  test.each(IS_FULL ? ROWS : ROWS.filter(isSettlement))('in $name: $operation, $nth', async ({ path, spot }) => {
    await expectRightAnswers(path, spot);
  });
});

test('with the timeouts of production, a store that never answers, or never ends, is reported within 5 s, at any call', async () => {
  const gateway = testGateway();
  const hasty = await misbehavingServer(transport(false));
  const operations = [...new Set(ROWS.map(({ operation }) => operation))];
  const rows = [
    ...operations.map((operation) => ({
      path: pathWhere(({ calls, outcome }) => calls.includes(operation) && isSuccess(outcome)),
      operation,
      expected: UNAVAILABLE,
    })),
    // A refusal is still answered without its event.
    ...PATHS.filter(({ calls, outcome }) => calls.includes('PutItem') && !isSuccess(outcome)).map((path) => ({
      path,
      operation: 'PutItem',
      expected: path.outcome,
    })),
  ];
  // All are prepared before the first is timed.
  const prepared = await Promise.all(
    rows.flatMap((row) =>
      (['silent', 'stalls'] as const).map(async (behaviour) => {
        const { key, request, arrange } = await (await row.path.prepare(gateway))(behaviour);
        const { client, ping } = testGateway({ startDeadline: system.startDeadline });
        arrange?.(client);
        intercept(client, (attempt) =>
          attempt.operation === row.operation ? hasty.answer(attempt, behaviour) : attempt.send(),
        );
        return { ...row, behaviour, send: () => ping(key, request) };
      }),
    ),
  );
  const hangs = prepared.map(async ({ path, operation, behaviour, expected, send }) => {
    const outcome = outcomeOf(await within(MAX_ANSWER_MS, send()));
    return { path: path.name, operation, behaviour, outcome, expected };
  });
  for (const { outcome, expected, ...hang } of await Promise.all(hangs)) {
    expect({ ...hang, outcome }).toEqual({ ...hang, outcome: expected });
  }
  hasty.close();
});

/** Sends a request of the path for each fault, all at once, and then the next request of the client. */
async function expectRightAnswers(path: Path, spot: Spot): Promise<void> {
  const gateway = testGateway();
  const make = await path.prepare(gateway);
  const possible = FAULTS.filter((fault) => canStrike(fault, path, spot));
  const cells = await Promise.all(
    possible.map(async (fault) => {
      const visit = await make(fault.name);
      const struck = await sendStruck(gateway, visit, spot, fault);
      await visit.catchUp?.();
      const again = await gateway.ping(visit.key, visit.request);
      return { fault, visit, ...struck, again };
    }),
  );
  for (const { fault, response, metrics, again } of cells) {
    const named = { fault: fault.name };
    const expected = expectation(path, spot, fault);
    expect({ ...named, outcome: outcomeOf(response), metrics }).toEqual({ ...named, ...expected });
    expect(response.headers['retry-after']).toBe(
      expected.outcome.startsWith(UNAVAILABLE) ? '1' : again.headers['retry-after'],
    );
    expect({ ...named, again: outcomeOf(again) }).toEqual({
      ...named,
      again: againOf(path),
    });
  }
  for (const [projectId, ofProject] of Map.groupBy(cells, ({ visit }) => visit.projectId)) {
    const answered = ofProject.flatMap(({ visit, response, metrics, again }) => [
      ...[...visit.others, again].map((other) => ({ response: other })),
      { response, eventLost: metrics.includes('UsageEventLost') },
    ]);
    await assertBooks(gateway, projectId, answered);
  }
}

async function sendStruck(steady: TestGateway, { key, request, arrange }: Visit, spot: Spot, fault: Fault) {
  // Its own client, so that no other fault uses up its repeats, on open connections.
  const deadline = new AbortController();
  const { client, telemetry, ping } = testGateway({ startDeadline: () => testDeadline(deadline) });
  client.config.requestHandler = steady.client.config.requestHandler;
  arrange?.(client);
  inject(client, spot, fault, () => {
    deadline.abort();
  });
  return { response: await ping(key, request), metrics: telemetry.metrics };
}

function canStrike({ strikes, endsRequest }: Fault, { outcome, metrics }: Path, { operation }: Spot): boolean {
  // The concurrent admission may be complete or not: both answers are right.
  if (endsRequest && operation === 'BatchGetItem' && (isOfKey(outcome) || metrics)) return false;
  return strikes(operation);
}

/** The required result of a request when a call fails (docs/architecture.md, "One ledger"). */
function expectation(path: Path, { operation }: Spot, fault: Fault): { outcome: string; metrics: string[] } {
  const { outcome } = path;
  const isAdmitted = fault.passes || operation !== 'UpdateItem';
  const metrics = isAdmitted ? [...(path.metrics ?? [])] : [];
  if (fault.passes) return { outcome, metrics: metricsOf(path) };
  const isRefusal = !outcome.startsWith('200');
  if (operation === 'PutItem' && isRefusal) {
    return { outcome, metrics: metricsOf({ ...path, metrics }, ['UsageEventLost']) };
  }
  // A refused key is refused in any project.
  if (operation === 'BatchGetItem' && isOfKey(outcome)) return { outcome, metrics };
  return { outcome: UNAVAILABLE, metrics: fault.isConflict ? [...metrics, 'TransactionsGivenUp'] : metrics };
}

/** The metrics of a path, with that of work that its settlement refused, and that of a simulated failure. */
const metricsOf = ({ calls, outcome, metrics = [] }: Path, more: readonly string[] = []): string[] => [
  ...metrics,
  ...(outcome.startsWith('429') && calls.includes('TransactWriteItems') ? ['WorkUncharged'] : []),
  ...more,
  ...(/^5.* simulated$/.test(outcome) ? ['SimulatedServerErrors'] : []),
];

const isOfKey = (outcome: string): boolean => /^40[13] (?!PROJECT)/.test(outcome);
