import { PING_PATH } from '../keys/ping.ts';

/** The key goes into the environment of the terminal, and into none of its histories. */
export const ENTER_KEY = 'read -rs API_KEY; export API_KEY';

/** A first ping, as an argument list that a shell may break over lines. */
export const curlPing = (gatewayUrl: string): string =>
  [
    `curl -i ${gatewayUrl}${PING_PATH} \\`,
    `  -H "Authorization: Bearer $API_KEY" \\`,
    `  -H 'Content-Type: application/json' -d '{}'`,
  ].join('\n');

/** A program of its own, for Node 22.18 or newer. */
export const typescriptPing = (gatewayUrl: string): string => `import { randomUUID } from 'node:crypto';

const response = await fetch('${gatewayUrl}${PING_PATH}', {
  method: 'POST',
  headers: {
    Authorization: 'Bearer ' + process.env.API_KEY,
    'Content-Type': 'application/json',
    'Idempotency-Key': randomUUID(),
  },
  body: JSON.stringify({ clientRequestId: 'first-ping' }),
  signal: AbortSignal.timeout(10_000),
});
const answer: string = await response.text();
if (!response.ok) throw new Error(response.status + ' ' + answer);
console.log(answer);
`;

/** A program of its own, for Python 3 without packages. */
export const pythonPing = (gatewayUrl: string): string => `import json
import os
import urllib.error
import urllib.request
import uuid

request = urllib.request.Request(
    "${gatewayUrl}${PING_PATH}",
    data=json.dumps({"clientRequestId": "first-ping"}).encode(),
    headers={
        "Authorization": "Bearer " + os.environ["API_KEY"],
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),
    },
)
try:
    with urllib.request.urlopen(request, timeout=10) as response:
        print(response.read().decode())
except urllib.error.HTTPError as error:
    raise SystemExit(f"{error.code} {error.read().decode()}")
`;

/** The first request, its repeat and another body, in bash or zsh; `order` is a new one each time. */
export const curlIdempotency = (gatewayUrl: string): string =>
  [
    `order=order-$RANDOM-$RANDOM`,
    `ping() {`,
    `  curl -i ${gatewayUrl}${PING_PATH} -H "Authorization: Bearer $API_KEY" \\`,
    `    -H 'Content-Type: application/json' -H "Idempotency-Key: $order" -d "$1"; echo`,
    `}`,
    `ping '{"clientRequestId":"a"}'`,
    `ping '{"clientRequestId":"a"}'`,
    `ping '{"clientRequestId":"b"}'`,
  ].join('\n');

/** Sends a ping until it is answered for good, in TypeScript for Node 22.18 or newer. */
export const typescriptRetry = (gatewayUrl: string): string => `import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const MAX_ATTEMPTS = 5;
const MAX_WAIT_SECONDS = 180;

async function send(idempotencyKey: string, body: object) {
  const response = await fetch('${gatewayUrl}${PING_PATH}', {
    method: 'POST',
    headers: {
      Authorization: 'Bearer ' + process.env.API_KEY,
      'Content-Type': 'application/json',
      'Idempotency-Key': idempotencyKey,
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  // Read here, since an answer can also break off.
  return { status: response.status, headers: response.headers, text: await response.text() };
}

type Answer = Awaited<ReturnType<typeof send>>;

// A 5xx without a request id is not the gateway's: nobody knows what became of the request. A 500 with one is a defect.
const canSucceed = ({ status, headers }: Answer) =>
  status === 429 || status === 503 || (status >= 500 && !headers.has('X-Service-Request-Id'));

async function pingSafely(body: object): Promise<Answer> {
  // One for all attempts: whatever became of an earlier one, the ping is charged once.
  const idempotencyKey = randomUUID();
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt === MAX_ATTEMPTS;
    let waitSeconds = 0;
    try {
      const answer = await send(idempotencyKey, body);
      waitSeconds = Number(answer.headers.get('Retry-After') ?? 0);
      // A used-up quota asks for days.
      if (isLast || !canSucceed(answer) || waitSeconds > MAX_WAIT_SECONDS) return answer;
    } catch (error) {
      if (isLast) throw error;
    }
    // Clients that failed together do not come back together.
    await pause(waitSeconds * 1_000 + Math.random() * 250 * 2 ** attempt);
  }
}

const answer = await pingSafely({ clientRequestId: 'order-7' });
console.log(answer.status, answer.text);
`;

/** Stands for the gateway's address where it is not known; `openapi.yaml` has the same. */
export const UNKNOWN_GATEWAY = 'https://gateway.example';

/** Stands for a key. */
export const SOME_KEY = 'svc_test_KEY';

/** What to enter in a terminal to use a key. */
export const commandsFor = (gatewayUrl: string, key: string): string =>
  `export API_KEY=${key}\n${curlPing(gatewayUrl)}`;

/** All of them, by their languages: their colours are found when the app is built. */
export const SAMPLES: readonly { readonly language: string; readonly text: string }[] = [
  { language: 'shellscript', text: ENTER_KEY },
  { language: 'shellscript', text: curlPing(UNKNOWN_GATEWAY) },
  { language: 'shellscript', text: commandsFor(UNKNOWN_GATEWAY, SOME_KEY) },
  { language: 'shellscript', text: curlIdempotency(UNKNOWN_GATEWAY) },
  { language: 'typescript', text: typescriptPing(UNKNOWN_GATEWAY) },
  { language: 'typescript', text: typescriptRetry(UNKNOWN_GATEWAY) },
  { language: 'python', text: pythonPing(UNKNOWN_GATEWAY) },
];
