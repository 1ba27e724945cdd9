import { expect, test } from '@jest/globals';
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

test('a replay key differs by mode, method, path and Idempotency-Key; its fingerprint by method, path and body alone', () => {
  const { id, fingerprint } = replayKey(ping, 'k', '{}');
  expect(replayKey({ ...ping }, 'k', '{}')).toEqual({ id, fingerprint });
  // Test never answers live.
  for (const other of [...others, live]) expect(replayKey(other, 'k', '{}').id).not.toBe(id);
  expect(replayKey(ping, 'K', '{}').id).not.toBe(id);
  for (const other of others) expect(replayKey(other, 'k', '{}').fingerprint).not.toBe(fingerprint);
  expect(replayKey(ping, 'k', '{"a":1}').fingerprint).not.toBe(fingerprint);
  expect(replayKey(ping, 'other', '{}').fingerprint).toBe(fingerprint);
});

test('it tells where one part ends and the next begins, and holds none of the client’s words', () => {
  const longer: Scope = { ...ping, path: `${ping.path}a` };
  expect(replayKey(longer, 'b', '{}').id).not.toBe(replayKey(ping, 'ab', '{}').id);
  expect(JSON.stringify(replayKey(ping, 'canary', '{"canary":1}'))).not.toContain('canary');
});
