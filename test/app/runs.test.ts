import { describe, expect, test } from '@jest/globals';
import { boundOf, isCut, runsOf, senderOf, statusOf } from '../../portal/requests/runs.ts';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';
import { someEvent } from '../support/usage-events.ts';

const LIMITED = { event: 'rate_limit_rejected', status: 429, code: 'RATE_LIMIT_EXCEEDED', units: 0 } as const;
const REVOKED = { event: 'request_rejected', status: 401, code: 'API_KEY_REVOKED', units: 0 } as const;
const at = (time: string, more: Partial<UsageEvent> = LIMITED) =>
  someEvent({ occurredAt: `2030-01-15T${time}.000Z`, userAgent: 'curl/8.5.0', ...more });
const statuses = (events: readonly UsageEvent[], hasMore = false) => runsOf(events, hasMore).map(statusOf);

describe('requests that were refused alike are one row', () => {
  const burst = Array.from({ length: 28 }, (_, i) => at(`22:52:${46 - Math.floor(i / 14)}`));

  test('with their number, where they follow each other: of one key, one code and one minute', () => {
    expect(statuses(burst)).toEqual(['28 × 429']);
    const others: Partial<UsageEvent>[] = [
      { ...LIMITED, keyId: 'key_BBBBBBBBBBBBBBBB' },
      { ...LIMITED, code: 'QUOTA_EXCEEDED' },
      { ...LIMITED, simulated: true },
      { status: 200, code: null },
    ];
    for (const other of others)
      expect(statuses([at('22:52:46'), at('22:52:45', other), at('22:52:44')])).toHaveLength(3);
    expect(statuses([at('22:53:00'), at('22:52:59'), at('22:52:58')])).toEqual(['429', '2 × 429']);
  });

  test('and those that succeeded are not', () => {
    const succeeded = { status: 200, code: null } as const;
    expect(statuses([at('22:52:46', succeeded), at('22:52:45', succeeded)])).toEqual(['200', '200']);
  });

  test('“at least” so many where older ones were not read, and of those before admission, of which one a minute is kept', () => {
    expect(statuses(burst, true)).toEqual(['at least 28 × 429']);
    expect(statuses([at('22:52:46', { status: 200, code: null }), at('22:52:45')], true)).toEqual([
      '200',
      'at least 1 × 429',
    ]);
    const [revoked, limited] = runsOf([at('22:52:46', REVOKED), at('22:51:46')], false);
    expect([revoked && statusOf(revoked), revoked && boundOf(revoked)]).toEqual(['401', 'at least 1 in this minute']);
    expect(limited && boundOf(limited)).toBe('');
    // It has an event each.
    const [simulated] = runsOf([at('22:52:46', { ...REVOKED, simulated: true })], false);
    expect(simulated && boundOf(simulated)).toBe('');
    // Nothing before it belongs to it.
    expect(isCut([at('22:52:46', REVOKED)], true)).toBe(false);
    expect(isCut([], true)).toBe(false);
  });

  test('with what sent them', () => {
    const [run] = runsOf([at('22:52:46'), at('22:52:45', { ...LIMITED, userAgent: 'python-httpx/0.28' })], false);
    expect(run && senderOf(run)).toBe('curl/8.5.0 and others');
    const [byPage] = runsOf([at('22:52:46', { ...LIMITED, userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' })], false);
    expect(byPage && senderOf(byPage)).toBe('a browser');
  });
});
