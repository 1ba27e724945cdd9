import { describe, expect, test } from '@jest/globals';
import { someKey } from '../support/page-keys.ts';
import { someEvent } from '../support/usage-events.ts';
import type { Key, KeyDetails } from '../../portal/api/schemas.ts';
import { adviceOn, isInGrace, sendersOf, worksOf } from '../../portal/keys/rotation.ts';

const NOW = Date.parse('2026-11-22T10:07:30.000Z');
const HOUR_MS = 3_600_000;
const ago = (milliseconds: number): string => new Date(NOW - milliseconds).toISOString();
const minuteOf = (time: string): string => `${time.slice(0, 'YYYY-MM-DDTHH:MM'.length)}:00.000Z`;

const ROTATED = ago(6 * HOUR_MS);
const old = (lastUsed: string | null, since: Partial<NonNullable<KeyDetails['sinceRotation']>> | null): KeyDetails => ({
  ...someKey({ createdAt: ago(900 * HOUR_MS), lastUsed: lastUsed && minuteOf(lastUsed) }),
  replacedBy: 'key_BBBBBBBBBBBBBBBB',
  expiresAt: ago(-18 * HOUR_MS),
  replaces: null,
  unitsUsed: null,
  rate: { limit: 60, remaining: 60, resetsAt: ago(-1) },
  usage: { period: '2026-11', complete: true, requests: 0, units: 0, days: [] },
  sinceRotation: since && { replacedAt: ROTATED, countedFrom: ROTATED, complete: true, requests: 0, ...since },
});
const inUse = someKey({ keyId: 'key_BBBBBBBBBBBBBBBB', lastUsed: ago(60_000) });
const unused = someKey({ keyId: 'key_BBBBBBBBBBBBBBBB' });

describe('the old key of a rotation', () => {
  test.each<[string, KeyDetails, Key | undefined, string]>([
    ['it had requests since', old(ago(60_000), { requests: 12 }), inUse, 'Not safe to end yet'],
    [
      'it was used since, though no request is counted',
      old(ago(60_000), { requests: 0 }),
      inUse,
      'Not safe to end yet',
    ],
    ['it had refusals that are no use of it', old(null, { requests: 1 }), inUse, 'Not safe to end yet'],
    ['not all is counted', old(ago(7 * HOUR_MS), { complete: false }), inUse, 'Still counting'],
    ['neither was used since', old(ago(7 * HOUR_MS), {}), unused, 'Too early to tell'],
    ['the new one has ended', old(null, {}), undefined, 'Not safe to end'],
    ['the new one is paused', old(null, {}), { ...inUse, paused: true }, 'Not safe to end'],
    ['it is paused, though programs still send it', { ...old(null, { requests: 3 }), paused: true }, inUse, 'Paused'],
    ['it had none since, and the new one is in use', old(ago(7 * HOUR_MS), {}), inUse, 'Looks safe to end'],
    ['it was used in the minute of the rotation, before it', old(ROTATED, {}), inUse, 'Looks safe to end'],
    ['it was never used', old(null, {}), inUse, 'Looks safe to end'],
  ])('%s', (_, key, successor, words) => {
    expect(adviceOn({ old: key, successor }, NOW).words).toBe(words);
  });

  test('was used and then was not for a day: it looks safe, with how long it was quiet', () => {
    const quiet = { ...old(ago(30 * HOUR_MS), { requests: 12, replacedAt: ago(50 * HOUR_MS) }) };
    const { words, why } = adviceOn({ old: quiet, successor: inUse }, NOW);
    expect([words, why]).toEqual(['Looks safe to end', expect.stringContaining('Nothing has used it for 30 h')]);
  });

  test('is still used by the programs that sent requests since, each named once with its network address', () => {
    const sent = (minutes: number, userAgent: string | null, sourceAddress: string | null) =>
      someEvent({ occurredAt: ago(minutes * 60_000), userAgent, sourceAddress });
    const latest = [
      sent(1, 'curl/8.7', '192.0.2.7'),
      sent(2, 'curl/8.7', '192.0.2.7'),
      sent(3, 'curl/8.7', '192.0.2.8'),
      sent(4, null, null),
      sent(6 * 60, 'before', '192.0.2.9'),
    ];
    expect(sendersOf(latest, ROTATED)).toEqual([
      'curl/8.7 from 192.0.2.7',
      'curl/8.7 from 192.0.2.8',
      'unknown program',
    ]);
  });

  test('works beside the new one only where neither is paused', () => {
    const paused = { ...old(null, {}), paused: true };
    expect([
      worksOf({ old: old(null, {}), successor: inUse }),
      worksOf({ old: paused, successor: inUse }),
      worksOf({ old: old(null, {}), successor: { ...inUse, paused: true } }),
      worksOf({ old: paused, successor: undefined }),
    ]).toEqual(['two keys work', 'the old key is paused', 'only the old key works', 'no key works']);
  });

  test('was used when its newest request says, which has the second', () => {
    const newest = someEvent({ occurredAt: ago(23 * HOUR_MS) });
    const key = old(ago(6 * 24 * HOUR_MS), { requests: 1, replacedAt: ago(7 * 24 * HOUR_MS) });
    expect(adviceOn({ old: key, successor: inUse }, NOW).words).toBe('Looks safe to end');
    expect(adviceOn({ old: key, successor: inUse, newest }, NOW).words).toBe('Not safe to end yet');
  });

  test('is in its grace until it ends', () => {
    const key = old(null, {});
    expect([isInGrace(key, NOW), isInGrace(key, NOW + 18 * HOUR_MS), isInGrace(inUse, NOW)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
