import { expect, test } from '@jest/globals';
import { entriesOf, errorEntry, excerptOf, found } from '../../portal/search/entries.ts';
import { codeIn, requestIdIn } from '../../portal/search/pasted.ts';

const account = { accountId: 'acc_1', name: 'Riverside maps', role: 'owner' as const };
const entries = entriesOf(
  account,
  [{ projectId: 'p1', name: 'Trip planner' }],
  [account, { accountId: 'acc_2', name: 'Ébène', role: 'member' }],
  'https://help.example.com/',
);
const addresses = (typed: string): string[] => found(entries, typed).map(({ address }) => address);

test('every place has an address of its own', () => {
  expect(new Set(addresses('')).size).toBe(entries.length);
});

test('a place is found by parts of its name and of what it is in, in any order and case, without accents', () => {
  expect(addresses('trip USAGE')).toEqual(['/accounts/acc_1/projects/p1/usage']);
  expect(addresses(' usage  tri ')[0]).toBe('/accounts/acc_1/projects/p1/usage');
  expect(addresses('ebene team')).toEqual(['/accounts/acc_2/team']);
  expect(addresses('audit')[0]).toBe('/accounts/acc_1/audit');
});

test('a code is found as it is written, and by its words', () => {
  for (const typed of ['RATE_LIMIT_EXCEEDED', 'rate limit exceeded', 'limit_exc']) {
    expect(addresses(typed)[0]).toBe('/docs/errors#RATE_LIMIT_EXCEEDED');
  }
});

test('a pasted answer leads to the page of its code, whatever stands around it', () => {
  expect(codeIn('{"status":401,"code":"INVALID_API_KEY","detail":"…"}')).toBe('INVALID_API_KEY');
  expect(codeIn('error: RATE_LIMIT_EXCEEDED (429)')).toBe('RATE_LIMIT_EXCEEDED');
  for (const typed of ['NO_SUCH_CODE', 'XINVALID_API_KEY', 'INVALID_API_KEY_2X_INVALID_API_KEYS', 'invalid', '']) {
    expect([typed, codeIn(typed)]).toEqual([typed, undefined]);
  }
  expect(errorEntry('INVALID_API_KEY')).toMatchObject({ address: '/docs/errors#INVALID_API_KEY' });
});

test('what the documentation says is found by its words, and a page by what is done there; names come first', () => {
  for (const [typed, address] of [
    ['simulate', '/docs/testing#simulations'],
    ['retry', '/docs/idempotency#retries'],
    ['bodies', '/docs/limits#size-of-a-request'],
    ['header', '/docs/limits#what-is-left'],
    ['webhook-id', '/docs/webhooks#an-endpoint'],
    ['cap', '/accounts/acc_1/projects/p1/keys'],
    ['daily budget', '/accounts/acc_1/projects/p1/keys'],
    ['pause', '/accounts/acc_1/projects/p1/keys'],
    ['clock', '/docs/testing#let-time-pass'],
    ['ping charges', '/docs/reference#sendPing'],
    ['rotate', '/accounts/acc_1/projects/p1/keys'],
    ['csv', '/accounts/acc_1/projects/p1/requests'],
    ['statement', '/accounts/acc_1/projects/p1/usage'],
    ['invite', '/accounts/acc_1/team'],
    ['sign out', '/profile'],
    ['leave', '/accounts/acc_1/settings'],
    ['threshold', '/accounts/acc_1/settings/mails'],
    ['alerts', '/accounts/acc_1/settings/mails'],
    ['deliveries', '/accounts/acc_1/developers/webhooks'],
    ['terraform', '/accounts/acc_1/developers/tokens'],
    // In the words of people.
    ['leak', '/docs/keys#a-key-has-leaked'],
    ['charged twice', '/docs/idempotency'],
    ['charged twice', '/accounts/acc_1/projects/p1/requests'],
    ['billing', '/accounts/acc_1/projects/p1/usage'],
    ['price', '/docs/limits#what-a-request-costs'],
    ['contact', 'https://help.example.com/'],
    ['viewer', '/accounts/acc_1/team'],
    ['timezone', '/accounts/acc_1/projects/p1/usage'],
  ] as const) {
    expect([typed, addresses(typed)]).toEqual([typed, expect.arrayContaining([address])]);
  }
  expect(addresses('limits')[0]).toBe('/docs/limits');
  expect(addresses('429').slice(0, 3).sort()).toEqual(
    ['KEY_QUOTA_EXCEEDED', 'QUOTA_EXCEEDED', 'RATE_LIMIT_EXCEEDED'].map((code) => `/docs/errors#${code}`),
  );
  expect(addresses('leak')[0]).toBe('/docs/keys');
  expect(addresses('leak')[1]).toBe('/docs/keys#a-key-has-leaked');
  // For who may see it.
  expect(addresses('riverside webhooks')).toEqual(['/accounts/acc_1/developers/webhooks']);
  expect(addresses('ebene webhooks')).toEqual([]);
  // What code holds as an example is what somebody looks for as a name of their own.
  expect(addresses('order-7')).toEqual([]);
});

test('of what a place says the part is shown that has the word which was looked for', () => {
  const [entry] = found(entries, 'apigw-requestid');
  const shown = entry ? excerptOf(entry, 'apigw-requestid') : '';
  expect(shown).toContain('apigw-requestid');
  expect(shown.length).toBeLessThan(150);
  expect(excerptOf({ kind: 'docs', address: '/', name: '', within: '', text: 'All of it.' }, '')).toBe('All of it.');
});

test('a request is meant by its whole id in any case, alone or as the requestId of an answer or of a log', () => {
  const id = '01a1fd70-f1c0-7c41-9d5b-3f2e8a6b1c0d';
  const other = '01a1fd70-f1c0-7c41-9d5b-000000000000';
  for (const typed of [
    ...[id, ` ${id.toUpperCase()} `, `{"status":400,"code":"INVALID_REQUEST","requestId":"${id}"}`],
    ...[`X-Service-Request-Id: ${id}`, `failed: { clientRequestId: '${other}', requestId: '${id}' }`],
  ]) {
    expect(requestIdIn(typed)).toBe(id);
  }
  // As both client libraries make an Idempotency-Key: in the place of an id it would be in an address.
  const idempotencyKey = '6f1e2d3c-4b5a-4678-9abc-def012345678';
  expect(requestIdIn(idempotencyKey)).toBeUndefined();
  const others = [`order-${id}`, `{"clientRequestId":"${other}"}`, `{"originalRequestId":"${other}"}`];
  for (const typed of [id.slice(1), `${id}0`, `requestId=${id}0`, `x ${id}`, '', 'usage', ...others]) {
    expect(requestIdIn(typed)).toBeUndefined();
  }
});
