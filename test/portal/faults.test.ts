import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { system } from '../../functions/shared/system.ts';
import { WHO_MAY } from '../support/authority/who-may.ts';
import {
  isTried,
  changeSpotsOf,
  expectation,
  keyIn,
  tellingOf,
  retryAdvice,
  type ChangeSpot,
} from '../support/changes/expectation.ts';
import { CHANGE_PATHS, type ChangePath } from '../support/changes/paths.ts';
import { instance, prepared, takenTwice, type Cell } from '../support/changes/run.ts';
import { isStored } from '../support/changes/state.ts';
import { testDeadline, within } from '../support/deadline.ts';
import { IS_FULL } from '../support/extent.ts';
import { allFaults, inject, type Fault } from '../support/fault-cases.ts';
import { intercept, misbehavingServer, transport } from '../support/faults.ts';
import { portalOperations } from '../support/portal-contract.ts';
import type { PortalAnswer } from '../support/portal.ts';

/** The maximum time of an answer. */
const MAX_ANSWER_MS = 5_000;

const server = await misbehavingServer();
afterAll(server.close);
// The SDK's back-off is uniform from 0 on: here it is always the shortest.
beforeAll(() => void jest.spyOn(Math, 'random').mockReturnValue(0));
afterAll(() => void jest.restoreAllMocks());

const FAULTS = allFaults(server);

/**
 * A landing tries faults where the change is made but seems to fail: the SDK recovers, the outcome is unknown until the
 * deadline, or the store reports a conflict. For the portal, other unknown outcomes are the same.
 */
const isForLanding = (path: ChangePath, { index }: ChangeSpot, { isApplied, passes, endsRequest }: Fault): boolean =>
  index === path.calls.length - 1 && isApplied && (passes || endsRequest);

/** Each path without a fault, prepared once. */
const references = new Map<ChangePath, ReturnType<typeof takenTwice>>();
function referenceOf(path: ChangePath) {
  const known = references.get(path) ?? takenTwice(path);
  references.set(path, known);
  return known;
}

test('every change of the contract is here, and the end of a sign-in', () => {
  const changes = portalOperations
    .filter(({ method, operationId }) => method !== 'GET' && !WHO_MAY[operationId]?.isRead)
    .map(({ method, path }) => `${method} ${path}`);
  const here = new Set(CHANGE_PATHS.map(({ operation }) => operation));
  expect([...here].sort()).toEqual([...changes, 'GET /api/sign-in/callback'].sort());
});

test.each(CHANGE_PATHS)('when $name, the portal makes the calls of its row, and no others', async (path) => {
  const { answers, calls } = await referenceOf(path);
  expect(calls).toEqual([...path.calls, ...(path.behind ?? [])]);
  expect(answers.map(({ status }) => status)).toEqual(path.statuses);
});

describe('a call that fails', () => {
  const rows = CHANGE_PATHS.flatMap((path) =>
    changeSpotsOf(path).map((spot) => ({
      path,
      spot,
      title: `when ${path.name}: ${spot.operation}, ${spot.nth}`,
      faults: FAULTS.filter((fault) => isTried(fault, path, spot) && (IS_FULL || isForLanding(path, spot, fault))),
    })),
  );
  const matrix = rows.filter(({ faults }) => faults.length > 0);
  const [reads, others] = [
    matrix.filter(({ spot }) => spot.isFirstRead),
    matrix.filter(({ spot }) => !spot.isFirstRead),
  ];

  test.each(others)('$title', async ({ path, spot, faults }) => {
    await Promise.all(faults.map((fault) => expectOneChangeOrNone(path, spot, fault)));
  });

  const readPaths = [...Map.groupBy(reads, ({ path }) => path)].map(([path, cells]) => ({
    name: path.name,
    path,
    cells,
  }));
  if (IS_FULL)
    test.each(readPaths)('when $name: whatever is read first', async ({ path, cells }) => {
      const { reference } = await referenceOf(path);
      const cell = await prepared(path, instance(path).portal);
      const struck = cells.flatMap(({ spot, faults }) =>
        faults.map(async (fault) => {
          const { answer } = await sendStruck(path, cell, spot, fault);
          expect({ spot, fault: fault.name, ...tellingOf(answer) }).toEqual({
            spot,
            fault: fault.name,
            ...retryAdvice(path),
          });
        }),
      );
      await Promise.all(struck);
      // None of them has written anything.
      const { portal, written } = instance(path);
      expect((await cell.look()).items).toEqual(reference.before);
      const again = await cell.send(portal);
      expect(again.status).toBe(path.statuses[0]);
      expect((await cell.look(written)).items).toEqual(reference.after);
    });
});

test('with the timeouts of production, a store that never answers, or never ends, is reported within 5 s, at any call', async () => {
  const hasty = await misbehavingServer(transport(false));
  const operations = new Set(CHANGE_PATHS.flatMap(({ calls }) => calls));
  const hangs = [...operations].flatMap((operation) =>
    (['silent', 'stalls'] as const).map(async (behaviour) => {
      const path = CHANGE_PATHS.find(({ calls, beside }) => calls.includes(operation) && !beside?.includes(operation));
      if (!path) throw new Error(`no change calls ${operation}`);
      const cell = await prepared(path, instance(path).portal);
      const { portal } = instance(path, { startDeadline: system.startDeadline });
      intercept(portal.client, (attempt) =>
        attempt.operation === operation ? hasty.answer(attempt, behaviour) : attempt.send(),
      );
      expect(tellingOf(await within(MAX_ANSWER_MS, cell.send(portal)))).toEqual(retryAdvice(path));
    }),
  );
  await Promise.all(hangs);
  hasty.close();
});

/** Applies a fault to one change. If the page gets no success, it sends the change again to another instance. */
async function expectOneChangeOrNone(path: ChangePath, spot: ChangeSpot, fault: Fault): Promise<void> {
  const { reference } = await referenceOf(path);
  const steady = instance(path);
  const cell = await prepared(path, steady.portal);
  const { isDone, isMade } = expectation(path, spot, fault);
  const { answer, written } = await sendStruck(path, cell, spot, fault);
  const state = await cell.look(written);
  const named = { fault: fault.name };
  expect({ ...named, items: state.items }).toEqual({ ...named, items: isMade ? reference.after : reference.before });
  if (isDone) {
    expect({ ...named, status: answer.status }).toEqual({ ...named, status: path.statuses[0] });
    expectWorkingKey(answer, state);
    return;
  }
  expect({ ...named, ...tellingOf(answer) }).toEqual({ ...named, ...retryAdvice(path) });

  const again = await cell.send(steady.portal);
  const after = await cell.look(written, steady.written);
  expect({ ...named, status: again.status, items: after.items }).toEqual({
    ...named,
    status: path.statuses[isMade ? 1 : 0],
    items: isMade ? reference.afterRepeat : reference.after,
  });
  expectWorkingKey(again, after);
}

/** The key in the answer works. The number of items shows that no other key does. */
function expectWorkingKey(answer: PortalAnswer, state: Awaited<ReturnType<Cell['look']>>): void {
  const key = keyIn(answer);
  if (key !== undefined) expect(isStored(state, key)).toBe(true);
}

async function sendStruck(path: ChangePath, cell: Cell, spot: ChangeSpot, fault: Fault) {
  const deadline = new AbortController();
  const { portal, written } = instance(path, { startDeadline: () => testDeadline(deadline) });
  inject(portal.client, spot, fault, () => {
    deadline.abort();
  });
  return { answer: await cell.send(portal), written };
}
