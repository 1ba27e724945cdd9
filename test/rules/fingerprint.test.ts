import { describe, expect, test } from '@jest/globals';
import { replayKey } from '../../functions/shared/request/metered-request.ts';

type Scope = Parameters<typeof replayKey>[0];
const ping: Scope = {
  method: 'POST',
  path: '/api/v1/sandbox/ping',
  requires: { mode: 'test', scope: 'sandbox:invoke' },
};
const live: Scope = { ...ping, requires: { ...ping.requires, mode: 'live' } };
const others: Scope[] = [
  { ...ping, method: 'PUT' },
  { ...ping, path: '/api/v1/other' },
];

describe('a replay key', () => {
  test('is found again for the same operation, Idempotency-Key and body', () => {
    expect(replayKey(ping, 'k', '{}')).toEqual(replayKey({ ...ping }, 'k', '{}'));
  });

  test('differs by mode, so that test never answers live', () => {
    expect(replayKey(live, 'k', '{}').id).not.toBe(replayKey(ping, 'k', '{}').id);
  });

  test('differs by method, path and Idempotency-Key', () => {
    for (const other of others) expect(replayKey(other, 'k', '{}').id).not.toBe(replayKey(ping, 'k', '{}').id);
    expect(replayKey(ping, 'K', '{}').id).not.toBe(replayKey(ping, 'k', '{}').id);
  });

  test('has a fingerprint that differs by method, path and body, and not by Idempotency-Key', () => {
    const { fingerprint } = replayKey(ping, 'k', '{}');
    for (const other of others) expect(replayKey(other, 'k', '{}').fingerprint).not.toBe(fingerprint);
    expect(replayKey(ping, 'k', '{"a":1}').fingerprint).not.toBe(fingerprint);
    expect(replayKey(ping, 'other', '{}').fingerprint).toBe(fingerprint);
  });

  test('tells where one part ends and the next begins', () => {
    const longer: Scope = { ...ping, path: `${ping.path}a` };
    expect(replayKey(longer, 'b', '{}').id).not.toBe(replayKey(ping, 'ab', '{}').id);
  });

  test('does not hold the client’s words', () => {
    expect(JSON.stringify(replayKey(ping, 'canary', '{"canary":1}'))).not.toContain('canary');
  });
});
