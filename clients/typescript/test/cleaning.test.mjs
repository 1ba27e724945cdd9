import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SandboxGateway } from 'sandbox-gateway';

const SECRET = 'k'.repeat(42);

test('no error shows what looks like a key of any team or a management token, and each shows a plain name', async () => {
  for (const beginning of ['svc_test_', 'SVC_LIVE_', 'acme_test_', 'twelveletter_live_', 'svc_mgmt_']) {
    const detail = `For load_test_order1 it was ${beginning}${SECRET}.`;
    const fetch = async () => Response.json({ ok: false, code: 'INVALID_REQUEST', detail }, { status: 400 });
    const client = new SandboxGateway({
      apiKey: 'acme_test_mine',
      baseURL: 'http://127.0.0.1:1',
      fetch,
      maxRetries: 0,
    });
    const error = await client.ping().then(
      () => undefined,
      (thrown) => thrown,
    );
    assert.equal(error.detail, 'For load_test_order1 it was [API key].');
  }
});
