import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { SECRET_KINDS, type Entry, type SecretKind } from '../support/secrets/journal.ts';
import { leaksOfBuild } from '../support/secrets/build.ts';
import { entryOf } from '../support/secrets/items.ts';
import { findLeaks } from '../support/secrets/leaks.ts';

const SECRET = 'planted"secret@example.com';
const KEY = `svc_test_${'a'.repeat(42)}`;

const leaksOf = (secret: SecretKind, text: string, mayShow: readonly SecretKind[] = []) => {
  const entries: Entry[] = [
    { secret, text: SECRET },
    { output: 'a line', text, mayShow },
  ];
  return findLeaks(entries);
};

describe.each(SECRET_KINDS)('a %s that is planted', (kind) => {
  test.each([
    ['as it is', `before ${SECRET} after`],
    ['in JSON', JSON.stringify({ member: SECRET })],
    ['in base64', `x ${Buffer.from(SECRET).toString('base64')}`],
    ['in an address', `https://portal.example.com/?a=${encodeURIComponent(SECRET)}`],
  ])('is found %s, and not told', (_how, text) => {
    const found = leaksOf(kind, text);
    expect(found).toEqual([expect.objectContaining({ kind, source: 'a line' })]);
    expect(JSON.stringify(found)).not.toContain('secret@example');
  });

  test('is no leak where it belongs, and only of its kind', () => {
    expect(leaksOf(kind, SECRET, [kind])).toEqual([]);
    const [another = 'token'] = SECRET_KINDS.filter((candidate) => candidate !== kind);
    expect(leaksOf(kind, SECRET, [another])).toHaveLength(1);
  });
});

test.each([KEY, KEY.replace('svc', 'acme')])(
  'a whole key is found though nobody has noted it, and wherever it is: %s',
  (key) => {
    const entry = { output: 'an address', text: `https://portal.example.com/#${key}`, mayShow: [...SECRET_KINDS] };
    expect(findLeaks([entry])).toEqual([expect.objectContaining({ kind: 'API key' })]);
  },
);

describe('what is planted into an item of the tables', () => {
  const email = 'planted@example.com';
  const leaksIn = (table: string, item: object) =>
    findLeaks([{ secret: 'e-mail address', text: email }, entryOf(table, marshall(item))]);

  test.each([
    ['Gateway', { pk: 'ACCOUNT#a', sk: 'AUDIT#2026-11-22T10:00:00.000Z#1', before: { email } }],
    ['Gateway', { pk: 'ACCOUNT#a', sk: 'ACCOUNT', closedBy: email }],
    ['Gateway', { pk: 'USER#u', sk: 'SESSION#h', browser: email }],
    ['Gateway', { pk: `INVITED#${email}`, sk: 'ACCOUNT#a' }],
    ['Gateway', { pk: 'PROJECT#p', sk: 'REPLAY#h', body: email }],
    ['Usage', { pk: 'p', sk: 't', operation: email }],
  ])('of %s is found: %j', (table, item) => {
    expect(leaksIn(table, item)).toEqual([expect.objectContaining({ kind: 'e-mail address' })]);
  });

  test.each([
    ['Gateway', { pk: 'USER#u', sk: 'USER', email, name: email }],
    ['Gateway', { pk: 'ACCOUNT#a', sk: 'MEMBER#m', email }],
    ['Gateway', { pk: 'INVITED#h', sk: 'ACCOUNT#a', invitedBy: email }],
    ['Usage', { pk: 'p', sk: 't', clientRequestId: email }],
  ])('of %s is no leak where it belongs: %j', (table, item) => {
    expect(leaksIn(table, item)).toEqual([]);
  });
});

test('what is planted into the output of a build is found', () => {
  expect(leaksOfBuild('a file', 'const secret="planted-client-secret-3Xv9";')).toHaveLength(1);
  expect(leaksOfBuild('a file', `const key="${KEY}";`)).toHaveLength(1);
});
