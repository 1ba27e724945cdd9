import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { ConflictError, SandboxGatewayError } from 'sandbox-gateway';
import { SandboxManagement } from 'sandbox-gateway/management';
import { network, refusal } from './support.mjs';

const TOKEN = `svc_mgmt_${'t'.repeat(42)}`;
const KEY = { keyId: 'key_9aBcD3fGhJ5kLmN7', mode: 'test', name: 'CI \u{1f468}\u200d\u{1f469}' };
const CREATED = { keyId: KEY.keyId, key: `svc_test_${'k'.repeat(42)}` };
const PROJECT = 'L3F3EM36hg2T';
const MANAGE = 'https://portal.example/manage/v1';
const of = (options) => new SandboxManagement({ token: TOKEN, baseURL: MANAGE, ...options });
const gives = (body) => () => Response.json(body);

for (const [what, call, answer, method, path, body] of [
  ['keys.get', (m) => m.keys.get(PROJECT, KEY.keyId), KEY, 'GET', `/projects/${PROJECT}/keys/${KEY.keyId}`],
  [
    'keys.create',
    (m) => m.keys.create(PROJECT, { name: 'CI' }),
    CREATED,
    'POST',
    `/projects/${PROJECT}/keys`,
    { name: 'CI' },
  ],
  [
    'keys.update',
    (m) => m.keys.update(PROJECT, KEY.keyId, { unitsLimit: null }),
    KEY,
    'PATCH',
    `/projects/${PROJECT}/keys/${KEY.keyId}`,
    { unitsLimit: null },
  ],
  [
    'keys.rotate',
    (m) => m.keys.rotate(PROJECT, KEY.keyId, { graceHours: 0 }),
    CREATED,
    'POST',
    `/projects/${PROJECT}/keys/${KEY.keyId}/rotate`,
    { graceHours: 0 },
  ],
  [
    'keys.revoke',
    (m) => m.keys.revoke(PROJECT, KEY.keyId),
    KEY,
    'POST',
    `/projects/${PROJECT}/keys/${KEY.keyId}/revoke`,
    {},
  ],
  [
    'usage.get',
    (m) => m.usage.get(PROJECT, { by: 'key', since: undefined, until: '2026-11-22T00:00:00+01:00' }),
    { since: 'a', until: 'b', complete: true, total: {} },
    'GET',
    `/projects/${PROJECT}/usage?by=key&until=2026-11-22T00%3A00%3A00%2B01%3A00`,
  ],
  [
    'requests.get',
    (m) => m.requests.get('01a1fd70-f1c0-7c41-9d5b-3f2e8a6b1c0d'),
    { requestId: 'r', projectId: 'p', units: 1 },
    'GET',
    '/requests/01a1fd70-f1c0-7c41-9d5b-3f2e8a6b1c0d',
  ],
]) {
  test(`${what} asks as the contract says, and gives the answer as it came`, async () => {
    const { requests, fetch } = network(gives(answer), gives(answer));
    const management = of({ fetch });
    assert.deepEqual(await call(management), answer);
    const { result, status } = await call(management).withResponse();
    assert.deepEqual([result, status], [answer, 200]);
    const [{ url, method: sent, body: text, headers }] = requests;
    assert.deepEqual([sent, url, text && JSON.parse(text)], [method, MANAGE + path, body]);
    assert.equal(headers.Authorization, `Bearer ${TOKEN}`);
  });
}

for (const [what, list, name] of [
  ['projects', (m, options) => m.projects.list(options), 'projects'],
  ['keys', (m, options) => m.keys.list(PROJECT, { state: 'active', limit: 2 }, options), 'keys'],
  ['requests', (m, options) => m.requests.list(PROJECT, { clientRequestId: 'order-7' }, options), 'requests'],
]) {
  test(`a list of ${what} has the entries of all pages, and asks for no page before it is wanted`, async () => {
    const pages = [
      { [name]: [1, 2], cursor: 'next+page' },
      { [name]: [], cursor: 'last' },
      { [name]: [3], cursor: null },
    ];
    const { requests, fetch } = network(...pages.map(gives));
    const seen = [];
    for await (const entry of list(of({ fetch }), { headers: { traceparent: '00-1' } }))
      seen.push([entry, requests.length]);
    assert.deepEqual(seen, [
      [1, 1],
      [2, 1],
      [3, 3],
    ]);
    assert.deepEqual(
      requests.map(({ url }) => new URL(url).searchParams.get('cursor')),
      [null, 'next+page', 'last'],
    );
    const filters = requests.map(({ url }) => new URL(url).search.replace(/[&?]cursor=.*/, ''));
    assert.deepEqual(new Set(filters).size, 1);
    assert.ok(requests.every(({ headers }) => headers.traceparent === '00-1'));
  });
}

test('a creation has one Idempotency-Key in all its attempts, and its secret comes through', async () => {
  const lost = () => Promise.reject(Object.assign(new Error('lost'), { code: 'ECONNRESET' }));
  const { requests, fetch } = network(lost, refusal(503, 'SERVICE_UNAVAILABLE'), gives(CREATED));
  assert.deepEqual(await of({ fetch }).keys.create(PROJECT), CREATED);
  assert.deepEqual(new Set(requests.map(({ headers }) => headers['Idempotency-Key'])).size, 1);
  assert.equal(requests.length, 3);
});

test('an error has status and code, and a refusal of what there is not is the API’s', async () => {
  for (const [status, code] of [
    [409, 'KEY_NOT_ACTIVE'],
    [404, 'NOT_FOUND'],
  ]) {
    const error = await of({ fetch: network(refusal(status, code)).fetch })
      .keys.revoke(PROJECT, KEY.keyId)
      .catch((failure) => failure);
    assert.ok(error instanceof SandboxGatewayError);
    assert.equal(error instanceof ConflictError, status === 409);
    assert.deepEqual([error.status, error.code, error.detail], [status, code, 'No.']);
  }
  const page = () => new Response('<html>', { status: 404 });
  await assert.rejects(of({ fetch: network(page).fetch }).keys.get(PROJECT, KEY.keyId), /\/manage\/v1\?/);
});

test('token and address come from the environment', async (t) => {
  t.after(() => ['TOKEN', 'BASE_URL'].forEach((name) => delete process.env[`SANDBOX_MANAGEMENT_${name}`]));
  assert.throws(() => new SandboxManagement(), /SANDBOX_MANAGEMENT_TOKEN/);
  process.env.SANDBOX_MANAGEMENT_TOKEN = TOKEN;
  assert.throws(() => new SandboxManagement(), /SANDBOX_MANAGEMENT_BASE_URL/);
  process.env.SANDBOX_MANAGEMENT_BASE_URL = `${MANAGE}/`;
  assert.equal(new SandboxManagement().baseURL, MANAGE);
});

for (const [what, run] of [
  ['an address without /manage/v1', () => of({ baseURL: 'https://portal.example' })],
  ['an address in clear text', () => of({ baseURL: 'http://portal.example/manage/v1' })],
  ['an option of the other client', () => of({ apiKey: 'svc_test_x' })],
  ['a browser', () => of({ dangerouslyAllowBrowser: true })],
  ['a member that a key has not', (m) => m.keys.create(PROJECT, { expireInDays: 1 })],
  ['a filter that a list has not', (m) => m.keys.list(PROJECT, { status: 'active' }).next()],
  ['an id with another path in it', (m) => m.keys.get(PROJECT, '../../token')],
  ['no id', (m) => m.keys.revoke(PROJECT)],
]) {
  test(`refused, and nothing is sent: ${what}`, async () => {
    const { requests, fetch } = network();
    await assert.rejects(async () => run(of({ fetch })), TypeError);
    assert.equal(requests.length, 0);
  });
}

test('the token is in nothing that is shown, logged or thrown', async (t) => {
  const lines = [];
  t.mock.method(console, 'error', (line) => lines.push(line));
  process.env.SANDBOX_GATEWAY_LOG = 'debug';
  t.after(() => delete process.env.SANDBOX_GATEWAY_LOG);
  const echo = () => Response.json({ code: 'INVALID_TOKEN', detail: `You sent ${TOKEN}` }, { status: 401 });
  const management = of({ fetch: network(echo).fetch });
  const error = await management.requests
    .list(PROJECT, { clientRequestId: TOKEN })
    .next()
    .catch((failure) => failure);
  assert.equal(error.detail, 'You sent [management token]');
  assert.equal(lines.length, 1);
  const shown = inspect([error, management, lines], { depth: Infinity, showHidden: true });
  assert.ok(!shown.includes(TOKEN.slice(9)), shown);
});
