import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@jest/globals';
import { requestLine } from '../../local/request-lines.ts';

const logged = (more: object): string =>
  `${JSON.stringify({
    level: 'INFO',
    message: 'request',
    timestamp: '2026-11-28T00:54:58.138Z',
    requestId: '01a21fa5',
    durationMs: 15,
    ...more,
  })}\n`;
const shown = (text: string): string | undefined => {
  const line = requestLine(text);
  return line && stripVTControlCharacters(line).replaceAll(/ +/g, ' ');
};

test.each([
  [
    { routeKey: 'POST /api/v1/sandbox/ping', status: 200, outcome: 'request_succeeded', units: 1 },
    '00:54:58 200 POST /api/v1/sandbox/ping request_succeeded 1 unit 15 ms 01a21fa5\n',
  ],
  [
    {
      routeKey: 'POST /api/v1/sandbox/ping',
      status: 401,
      code: 'INVALID_API_KEY',
      outcome: 'INVALID_API_KEY',
      units: 0,
    },
    '00:54:58 401 POST /api/v1/sandbox/ping INVALID_API_KEY 0 units 15 ms 01a21fa5\n',
  ],
  [{ route: 'GET /api/session', status: 200 }, '00:54:58 200 GET /api/session 15 ms 01a21fa5\n'],
])('a logged request is one short line: %j', (more, line) => {
  expect(shown(logged(more))).toBe(line);
});

test.each(['  Portal  http://localhost:5173\n', '{"message":"request"', logged({ message: 'a mail' }), ''])(
  'anything else stays as it is: %j',
  (text) => {
    expect(requestLine(text)).toBeUndefined();
  },
);
