import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { verifyWebhook, WebhookVerificationError } from 'sandbox-gateway/webhooks';
import { Webhook } from 'standardwebhooks';

const SECRET = `whsec_${Buffer.from('a secret of a test, 32 bytes or so').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('another secret of a test, as long').toString('base64')}`;
const NOW = new Date('2026-11-27T12:00:00Z');
const NOTICE = {
  type: 'key.expiring',
  timestamp: '2026-11-27T11:59:00.000Z',
  data: { accountId: 'acc_1', projectId: 'prj_1', keyId: 'key_1', expiresAt: '2026-11-28T00:00:00.000Z', days: 1 },
};
const BODY = JSON.stringify({ ...NOTICE, note: 'Zürich' });
const noticeWith = (data) => BODY.replace(JSON.stringify(NOTICE.data), data);

/** A delivery as the library of the standard signs it. */
function delivery({ id = 'ntc_1', at = NOW, body = BODY, secret = SECRET } = {}) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}
const after = (seconds) => new Date(NOW.getTime() + 1_000 * seconds);
const verified = (headers, { body = BODY, secret = SECRET, ...options } = {}) =>
  verifyWebhook(body, headers, secret, { now: NOW, ...options });

for (const [what, run] of [
  ['as text', () => verified(delivery())],
  ['as bytes', () => verified(delivery(), { body: new TextEncoder().encode(BODY) })],
  ['with headers of the Fetch API', () => verified(new Headers(delivery()))],
  ['with headers of another library, or a Map', () => verified(new Map(Object.entries(delivery())))],
  ['with headers of Node', () => verified({ ...delivery(), host: 'x', 'set-cookie': ['a', 'b'] })],
  ['with headers in capitals', () => verified({ ...delivery(), 'webhook-id': undefined, 'Webhook-Id': 'ntc_1' })],
  ['290 s ago', () => verified(delivery({ at: after(-290) }))],
  ['290 s ahead', () => verified(delivery({ at: after(290) }))],
  ['an hour ago, where that is allowed', () => verified(delivery({ at: after(-3_600) }), { toleranceSeconds: 4_000 })],
  ['under the second of two secrets', () => verified(delivery(), { secret: [OTHER, SECRET] })],
  [
    'with two signatures',
    () => {
      const { 'webhook-signature': wrong } = delivery({ secret: OTHER });
      const headers = delivery();
      return verified({ ...headers, 'webhook-signature': `v2,x ${wrong} ${headers['webhook-signature']}` });
    },
  ],
]) {
  test(`taken: ${what}`, () => assert.deepEqual(run(), JSON.parse(BODY)));
}

for (const [what, run] of [
  ['another secret', () => verified(delivery({ secret: OTHER }))],
  ['another body', () => verified(delivery(), { body: BODY.replace('1', '2') })],
  ['another id', () => verified({ ...delivery(), 'webhook-id': 'ntc_2' })],
  ['another time', () => verified({ ...delivery(), 'webhook-timestamp': String(NOW.getTime() / 1_000 + 1) })],
  ['310 s ago', () => verified(delivery({ at: after(-310) }))],
  ['310 s ahead', () => verified(delivery({ at: after(310) }))],
  ['a tolerance that is no number', () => verified(delivery(), { toleranceSeconds: NaN })],
  ['a time that is none', () => verified({ ...delivery(), 'webhook-timestamp': 'now' })],
  ['a time in another form', () => verified({ ...delivery(), 'webhook-timestamp': '1e9' })],
  ['no headers', () => verified({})],
  ['an empty signature', () => verified({ ...delivery(), 'webhook-signature': '' })],
  ['a signature of no bytes', () => verified({ ...delivery(), 'webhook-signature': 'v1,' })],
  [
    'a signature of another version',
    () => {
      const headers = delivery();
      return verified({ ...headers, 'webhook-signature': headers['webhook-signature'].replace('v1', 'v2') });
    },
  ],
  ['two ids', () => verified({ ...delivery(), 'webhook-id': ['ntc_1', 'ntc_2'] })],
  ...['[]', 'null', ...['null', '[]', '"x"', '1'].map(noticeWith)].map((body) => [
    `a signed body that is no notice: ${body}`,
    () => verified(delivery({ body }), { body }),
  ]),
  ['a signed body that is no JSON', () => verified(delivery({ body: '{' }), { body: '{' })],
]) {
  test(`refused: ${what}`, () => {
    assert.throws(run, (error) => error instanceof WebhookVerificationError && !inspect(error).includes('ntc_'));
  });
}

for (const [what, run, message] of [
  ['a parsed body', () => verified(delivery(), { body: NOTICE }), /^body is parsed.* raw .* bytes/],
  ['no body', () => verifyWebhook(undefined, delivery(), SECRET, { now: NOW }), /^body is parsed.* raw .* bytes/],
  ['headers as pairs', () => verified(Object.entries(delivery())), /^headers must be names and values as text/],
  ['no headers at all', () => verified(null), /^headers must be names and values as text/],
  [
    'headers of bytes',
    () => verified({ ...delivery(), 'webhook-id': Buffer.from('ntc_1') }),
    /^headers must be names and values as text/,
  ],
]) {
  test(`told, as it is no delivery: ${what}`, () => assert.throws(run, { name: 'TypeError', message }));
}

for (const [body, reason] of [
  ['{', 'is no JSON object'],
  ['[]', 'is no JSON object'],
  ['null', 'is no JSON object'],
  ['{}', 'has no text as type'],
  ['{"type":"x"}', 'has no text as timestamp'],
  [noticeWith('null'), 'has no object as data'],
  [noticeWith('[]'), 'has no object as data'],
]) {
  test(`told why a signed body is not a notice: ${body}`, () => {
    const message = `It is signed, and yet not a notice: it ${reason}.`;
    assert.throws(() => verified(delivery({ body }), { body }), { name: 'WebhookVerificationError', message });
  });
}

for (const secret of [
  '',
  'whsec_',
  [],
  [SECRET, ''],
  undefined,
  `whsec_${Buffer.alloc(23).toString('base64')}`,
  'whsec_not base64, but long enough for a secret',
]) {
  test(`a secret that is none: ${JSON.stringify(secret)}`, () => {
    const shortest = (error) => error instanceof TypeError && !inspect(error).includes('long enough');
    assert.throws(() => verifyWebhook(BODY, delivery(), secret, { now: NOW }), shortest);
  });
}

test('a secret of 24 bytes is enough', () => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  assert.deepEqual(verified(delivery({ secret }), { secret }), JSON.parse(BODY));
});
