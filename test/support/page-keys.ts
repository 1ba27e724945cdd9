import type { Key } from '../../portal/api/schemas.ts';

/** A key as the page reads it, with the given members. */
export const someKey = (given: Partial<Key> = {}): Key => ({
  keyId: 'key_AAAAAAAAAAAAAAAA',
  name: 'CI',
  mode: 'test',
  scopes: ['sandbox:invoke'],
  rpm: 60,
  unitsLimit: null,
  unitsPeriod: null,
  capOf: null,
  status: 'active',
  paused: false,
  lastFour: 'D23V',
  createdAt: '2026-11-22T04:07:30.000Z',
  expiresAt: null,
  replacedBy: null,
  lastUsed: null,
  ...given,
});
