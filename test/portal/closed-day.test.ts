import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';
import { intercept, misbehavingServer } from '../support/faults.ts';
import { read, stageWithTenant } from '../support/portal-team.ts';
import { putEvents } from '../support/stored-events.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../support/times.ts';
import { program, tokenOf } from '../support/tokens.ts';
import { someEvent } from '../support/usage-events.ts';

const DAY = Date.UTC(2030, 0, 15);
const END = DAY + DAY_MS;
/** A reader's clock, at most, when the last event of a time is written: clocks differ by 90 s, a request has 10. */
const LATEST_MS = 100_000;

interface Sums {
  readonly requests: number;
  readonly units: number;
}
interface Answer {
  readonly closed: boolean;
  readonly complete: boolean;
  readonly total: Sums;
  readonly keys: readonly (Sums & { readonly keyId: string })[];
  readonly others: Sums & { readonly keys: number };
}

async function stageAt(nowMs: number) {
  const stage = await stageWithTenant({ nowMs });
  const { token } = await tokenOf(stage.browser, stage.account, { expiresInDays: 90 });
  const ci = program(stage.portal, token);
  const query = { by: 'key', since: new Date(DAY).toISOString(), until: new Date(END).toISOString() };
  const ofDay = (more: Record<string, string> = {}) =>
    read<Answer>(ci.get(`/projects/${stage.projectId}/usage`, new URLSearchParams({ ...query, ...more }).toString()));
  const event = (epochMs: number, more: Partial<UsageEvent> = {}): UsageEvent => {
    const occurredAt = new Date(epochMs).toISOString();
    return someEvent({ projectId: stage.projectId, requestId: randomUUID(), occurredAt, ...more });
  };
  return { ...stage, ofDay, event, put: (...events: UsageEvent[]) => putEvents(stage.portal.store, events) };
}

describe('a UTC day in the usage of programs', () => {
  test('is closed within the hour after its end, by its first reader, and no later answer differs', async () => {
    const { clock, gateway, key, ofDay } = await stageAt(END - 3 * HOUR_MS);
    await gateway.ping(key);
    await gateway.ping(key, { body: '[]' });
    expect(await ofDay()).toMatchObject({ closed: false, complete: true });
    clock.nowMs = END - 1;
    await gateway.ping(key);
    clock.nowMs = END;
    await gateway.ping(key);
    // Nobody has looked in between: nothing is stored.
    clock.nowMs = END + HOUR_MS;
    const closed = await ofDay();
    expect(closed).toMatchObject({ closed: true, complete: true, total: { requests: 3, units: 2 } });
    expect((await ofDay({ until: new Date(END + HOUR_MS).toISOString() })).closed).toBe(false);
    for (const days of [0, 1, 20, 31, 80]) {
      clock.nowMs = END + days * DAY_MS + 2 * HOUR_MS;
      expect(await ofDay()).toEqual(closed);
    }
    for (const by of ['hour', 'day']) expect(await ofDay({ by })).toMatchObject({ closed: true, total: closed.total });
  });

  test('is not closed while an event of it can be written, and has the one that is written last', async () => {
    const { clock, portal, gateway, key, ofDay } = await stageAt(END - HOUR_MS);
    await gateway.ping(key);
    // Received in the last millisecond, and settled as late as can be.
    clock.nowMs = END - 1;
    const answers: boolean[] = [];
    intercept(gateway.client, async (attempt) => {
      if (attempt.operation !== 'TransactWriteItems') return attempt.send();
      for (clock.nowMs = END; clock.nowMs < END + LATEST_MS; clock.nowMs += 20_000)
        answers.push((await ofDay()).closed);
      return attempt.send();
    });
    expect((await gateway.ping(key)).status).toBe(200);
    expect(answers).toEqual(Array.from({ length: 5 }, () => false));
    expect(portal.clock.nowMs).toBe(END + LATEST_MS);
    while (!(await ofDay()).closed) clock.nowMs += MINUTE_MS;
    expect(clock.nowMs).toBeLessThanOrEqual(END + HOUR_MS);
    expect((await ofDay()).total).toMatchObject({ units: 2 });
  });

  test('of which a sum is not stored is not closed: it would be summed again, when what is free may have expired', async () => {
    const { clock, portal, ofDay, event, put } = await stageAt(END - HOUR_MS);
    await put(event(DAY + 1), event(DAY + 2, { event: 'request_rejected', code: 'INVALID_REQUEST', units: 0 }));
    clock.nowMs = END + HOUR_MS;
    const server = await misbehavingServer();
    let isFailing = true;
    intercept(portal.client, (attempt) =>
      isFailing && attempt.operation === 'PutItem' ? server.answer(attempt, 'isUnavailable') : attempt.send(),
    );
    expect(await ofDay()).toMatchObject({ closed: false, complete: true, total: { requests: 2, units: 1 } });
    isFailing = false;
    expect(await ofDay()).toMatchObject({ closed: true, total: { requests: 2, units: 1 } });
    server.close();
  });

  test('of more keys than are told apart is closed with the sums that are stored; keys and others come to the total', async () => {
    const { clock, ofDay, event, put } = await stageAt(END - HOUR_MS);
    const used = Array.from({ length: 620 }, (_, n) => [n, 1 + (n % 3)] as const);
    await put(
      ...used.flatMap(([n, times]) =>
        // Some in another hour: what is told apart differs.
        Array.from({ length: times }, (_, i) =>
          event(DAY + (n % 20 === 0 ? HOUR_MS : 0) + 1_000 * n + i, { keyId: `key_${String(n).padStart(16, '0')}` }),
        ),
      ),
    );
    clock.nowMs = END + HOUR_MS;
    expect(await ofDay()).toMatchObject({ closed: false, complete: true });
    const closed = await ofDay();
    expect([closed.closed, closed.keys.length]).toEqual([true, 500]);
    for (const what of ['requests', 'units'] as const) {
      expect([...closed.keys, closed.others].reduce((sum, one) => sum + one[what], 0)).toBe(closed.total[what]);
    }
    clock.nowMs += 40 * DAY_MS;
    expect(await ofDay()).toEqual(closed);
  });
});
