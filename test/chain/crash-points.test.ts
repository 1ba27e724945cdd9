import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { revokeKey } from '../../functions/accounts/keys/api-keys.ts';
import { suspendProject } from '../../functions/accounts/projects/projects.ts';
import { stoppingGateway, type CrashPoint } from '../support/crashes.ts';
import { IS_FULL } from '../support/extent.ts';
import { misbehavingServer } from '../support/faults.ts';
import { testGateway } from '../support/gateway.ts';
import { assertBooks } from '../support/books.ts';
import { againOf, outcomeOf, PATHS, pathWhere, type Path } from '../support/paths.ts';
import { testClock } from '../support/reports.ts';
import { MINUTE_MS, MONTH_END_EPOCH_SECONDS, NOW_MS } from '../support/times.ts';

const server = await misbehavingServer();
afterAll(server.close);

const MOMENTS = ['before it is sent', 'before its answer is seen'] as const;
const CALLS = PATHS.flatMap((path) => path.calls.map((operation, index) => ({ path, operation, call: index + 1 })));
const crashAt = ({ path, operation, call }: (typeof CALLS)[number], when: CrashPoint['when']) => ({
  path,
  operation,
  point: { call, when } satisfies CrashPoint,
  title: `${path.name}: at call ${call}, ${operation}, ${when}`,
});
/** A landing tries the calls that settle. */
const CRASHES = CALLS.filter(({ operation }) => IS_FULL || operation === 'TransactWriteItems').flatMap((at) =>
  MOMENTS.map((when) => crashAt(at, when)),
);

describe('a process that stops in', () => {
  test.each(CRASHES)('$title', async ({ path, point }) => {
    const { again } = await crash(path, point);
    expect(outcomeOf(again)).toEqual(againOf(path));
  });

  test('a success that waits out a conflict, before it tries again', async () => {
    const path = pathWhere(({ name }) => name === 'a success under an Idempotency-Key');
    const { again } = await crash(path, { call: 3, when: 'while it waits out a conflict' });
    expect(outcomeOf(again)).toBe('200');
  });
});

/** Dozens of crashes one after another, on a machine with other work. */
const PROPERTY_TIMEOUT_MS = 120_000;

const NUM_RUNS = IS_FULL ? 60 : 10;

/** What may happen between a crash and the retry. */
const MEANWHILE = ['nothing', 'suspension', 'revocation'] as const;

test(
  'whatever the clocks of two instances say, and whatever happens between a crash and the retry, the ledger is consistent',
  async () => {
    const skewMs = fc.integer({ min: -90_000, max: 90_000 });
    const scenario = fc.record({
      crashed: fc.constantFrom(...CALLS.flatMap((at) => MOMENTS.map((when) => crashAt(at, when)))),
      // Far from any end, or near the end of a minute and of the month.
      startMs: fc.constantFrom(NOW_MS, MONTH_END_EPOCH_SECONDS * 1_000 - 45_000),
      skewMs,
      pauseMs: fc.constantFrom(0, MINUTE_MS, 16 * MINUTE_MS),
      meanwhile: fc.constantFrom(...MEANWHILE),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ crashed: { path, point }, ...circumstances }) => {
        const { again } = await crash(path, point, circumstances);
        const isSuccess = path.outcome.startsWith('200') && path.again === undefined;
        if (circumstances.meanwhile === 'nothing' && isSuccess) expect(again.status).toBe(200);
        else if (!/^5.* simulated$/.test(outcomeOf(again))) expect(again.status).toBeLessThan(500);
      }),
      { seed: 5, numRuns: NUM_RUNS },
    );
  },
  PROPERTY_TIMEOUT_MS,
);

interface Circumstances {
  readonly startMs?: number;
  /** The lead of the second instance's clock before the first's. */
  readonly skewMs?: number;
  readonly pauseMs?: number;
  readonly meanwhile?: (typeof MEANWHILE)[number];
}

/** Stops the process that serves a request, lets another serve its retry, and checks the ledger against the answers. */
async function crash(path: Path, point: CrashPoint, circumstances: Circumstances = {}) {
  const { startMs = NOW_MS, skewMs = 0, pauseMs = 0, meanwhile = 'nothing' } = circumstances;
  const clock = testClock(startMs);
  const operator = testGateway({ clock });
  const visit = await (await path.prepare(operator))('request');

  const { gateway, stopped } = stoppingGateway(point, clock, server);
  visit.arrange?.(gateway.client);
  const answered = gateway.ping(visit.key, visit.request);
  await Promise.race([
    stopped,
    answered.then(() => {
      throw new Error('it was answered before the crash');
    }),
  ]);
  await visit.catchUp?.();

  if (meanwhile === 'suspension') await suspendProject(operator.store, visit.projectId);
  if (meanwhile === 'revocation') await revokeKey(operator.store, visit.projectId, visit.keyId);
  const other = testGateway({ clock: testClock(startMs + skewMs + pauseMs) });
  const again = await other.ping(visit.key, visit.request);
  await assertBooks(
    operator,
    visit.projectId,
    [...visit.others, again].map((response) => ({ response })),
  );
  return { again };
}
