/** A server that does what a row of `clients/cases.json` says, one answer for each request; then it is ready. */
import { once } from 'node:events';
import { createServer } from 'node:http';

export const API_KEY = `svc_test_${'k'.repeat(42)}`;
export const REQUEST_ID = '01a1fd70-f1c0-7c41-9d5b-3f2e8a6b1c0d';
/** Within the seconds that a date holds. */
export const RESET_EPOCH_SECONDS = 1_900_000_000;

const limit = (prefix, limit, remaining) => ({
  ...{ [`${prefix}-Limit`]: limit, [`${prefix}-Remaining`]: remaining, [`${prefix}-Reset`]: RESET_EPOCH_SECONDS },
});
const OWN = { 'X-Service-Request-Id': REQUEST_ID, ...limit('X-RateLimit', 60, 59) };
const QUOTA = limit('X-Service-Quota', 10_000, 9_999);
const PING = { ok: true, mode: 'sandbox', message: 'Sandbox gateway is ready.', requestId: REQUEST_ID };
const SUCCESSES = {
  ready: { ...OWN, ...QUOTA },
  endsAfter: { ...OWN, ...QUOTA },
  replay: { ...OWN, ...QUOTA, 'X-Service-Idempotency-Replayed': 'true' },
  unlimited: OWN,
};

export async function serverOf(answers) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const step = answers[requests.length] ?? 'ready';
    const note = { url: request.url, headers: request.headers, body: '' };
    requests.push(note);
    for await (const chunk of request) note.body += chunk;
    if (step === 'silence') return;
    if (step === 'endsBefore') request.socket.destroy();
    else if (step in SUCCESSES) {
      response.writeHead(200, SUCCESSES[step]).end(JSON.stringify(PING));
      if (step === 'endsAfter') response.on('finish', () => request.socket.destroySoon());
    } else if (typeof step === 'string') {
      response.writeHead(step === 'endsWithin' ? 200 : 503, { ...SUCCESSES.ready, 'Content-Length': 999 });
      response.write('{"ok":', () => request.socket.destroy());
    } else answer(step, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = () => (server.closeAllConnections(), server.close());
  return { url: `http://127.0.0.1:${server.address().port}`, requests, close };
}

function answer({ status, code, headers, body, echoesKey }, response) {
  const detail = echoesKey ? `You sent Bearer ${API_KEY}.` : 'No.';
  const problem = { type: 'urn:x', title: 'No', status, detail, ok: false, code, requestId: REQUEST_ID };
  response.writeHead(status, { ...(code && OWN), ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body ?? problem));
}
