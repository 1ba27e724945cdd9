import { PING_PATH } from '../keys/ping.ts';
import { CURL_MANAGE, CURL_USAGE, ENTER_TOKEN, PYTHON_MANAGE, TYPESCRIPT_MANAGE } from './manage-samples.ts';

/** The key goes into the environment of the terminal, and not into its history. */
export const ENTER_KEY = 'read -rs API_KEY; export API_KEY';

/** A first ping, as arguments that a shell may wrap. */
export const curlPing = (gatewayUrl: string): string =>
  [
    `curl -i ${gatewayUrl}${PING_PATH} \\`,
    `  -H "Authorization: Bearer $API_KEY" \\`,
    `  -H 'Content-Type: application/json' -d '{}'`,
  ].join('\n');

/** It makes its own folder. */
export const INSTALL_TYPESCRIPT = 'npm install sandbox-gateway';

/** It makes its own environment: many systems allow no other. */
export const INSTALL_PYTHON = 'python3 -m venv .venv && .venv/bin/pip install sandbox-gateway';

/** A program with the library, for Node 22.18 or newer; it is JavaScript, too. */
export const typescriptPing = (gatewayUrl: string): string => `import { SandboxGateway } from 'sandbox-gateway';

const gateway = new SandboxGateway({
  apiKey: process.env.API_KEY,
  baseUrl: '${gatewayUrl}',
});
const { data, requestId } = await gateway.ping({
  clientRequestId: 'first-ping',
});
console.log(data.message, requestId);
`;

/** A program with the library, for Python 3.9 or newer. */
export const pythonPing = (gatewayUrl: string): string => `import os

from sandbox_gateway import SandboxGateway

gateway = SandboxGateway(
    api_key=os.environ["API_KEY"],
    base_url="${gatewayUrl}",
)
answer = gateway.ping("first-ping")
print(answer.data["message"], answer.request_id)
`;

/** The first request, its repeat and another body, in bash or zsh. `order` is new each time. */
export const curlIdempotency = (gatewayUrl: string): string =>
  [
    `order=order-$RANDOM-$RANDOM`,
    `ping() {`,
    `  curl -i ${gatewayUrl}${PING_PATH} \\`,
    `    -H "Authorization: Bearer $API_KEY" -H "Idempotency-Key: $order" \\`,
    `    -H 'Content-Type: application/json' -d "$1"; echo`,
    `}`,
    `ping '{"clientRequestId":"a"}'`,
    `ping '{"clientRequestId":"a"}'`,
    `ping '{"clientRequestId":"b"}'`,
  ].join('\n');

/** A call that can be repeated safely, also by a later run of the program. */
export const typescriptRetry = (
  gatewayUrl: string,
): string => `import { SandboxGateway, SandboxGatewayError } from 'sandbox-gateway';

const gateway = new SandboxGateway({
  apiKey: process.env.API_KEY,
  baseUrl: '${gatewayUrl}',
  onRetry: ({ code }, waitMs) => console.error(code, 'again in', waitMs, 'ms'),
});
try {
  const { replayed } = await gateway.ping({ clientRequestId: 'order-7' }, { idempotencyKey: 'order-7' });
  console.log(replayed ? 'charged before' : 'charged');
} catch (error) {
  if (!(error instanceof SandboxGatewayError)) throw error;
  console.error(error.code, error.detail, error.requestId);
  process.exitCode = error.retryable ? 75 : 1;
}
`;

/** The same in Python. */
export const pythonRetry = (gatewayUrl: string): string => `import os
import sys

from sandbox_gateway import SandboxGateway, SandboxGatewayError

gateway = SandboxGateway(
    api_key=os.environ["API_KEY"],
    base_url="${gatewayUrl}",
    on_retry=lambda error, seconds: print(error.code, "again in", seconds, "s", file=sys.stderr),
)
try:
    answer = gateway.ping("order-7", idempotency_key="order-7")
    print("charged before" if answer.replayed else "charged")
except SandboxGatewayError as error:
    print(error.code, error.detail, error.request_id, file=sys.stderr)
    sys.exit(75 if error.retryable else 1)
`;

/** A call that simulates a code, with the client of {@link typescriptPing} and of {@link pythonPing}. */
export const typescriptSimulation = (code: string): string => `await gateway.ping({ simulate: '${code}' });`;
export const pythonSimulation = (code: string): string => `gateway.ping(simulate="${code}")`;

/** Replaces the gateway's address where it is not known. `openapi.yaml` has the same. */
export const UNKNOWN_GATEWAY = 'https://gateway.example';

/** Replaces a key. */
export const SOME_KEY = 'svc_test_KEY';

const withKey = (key: string, ...lines: readonly string[]): string => [`export API_KEY=${key}`, ...lines].join('\n');

/** The terminal command that sets a key, in each language. */
export const commandsFor = (gatewayUrl: string, key: string) => ({
  curl: withKey(key, curlPing(gatewayUrl)),
  TypeScript: withKey(
    key,
    INSTALL_TYPESCRIPT,
    `cat > ping.mjs <<'EOF'\n${typescriptPing(gatewayUrl)}EOF`,
    'node ping.mjs',
  ),
  Python: withKey(
    key,
    INSTALL_PYTHON,
    `cat > ping.py <<'EOF'\n${pythonPing(gatewayUrl)}EOF`,
    '.venv/bin/python ping.py',
  ),
});

/** All samples by language. The build of the app computes their colours. */
export const SAMPLES: readonly { readonly language: string; readonly text: string }[] = [
  { language: 'shellscript', text: ENTER_KEY },
  { language: 'shellscript', text: curlPing(UNKNOWN_GATEWAY) },
  ...Object.values(commandsFor(UNKNOWN_GATEWAY, SOME_KEY)).map((text) => ({ language: 'shellscript', text })),
  { language: 'shellscript', text: INSTALL_TYPESCRIPT },
  { language: 'shellscript', text: INSTALL_PYTHON },
  { language: 'shellscript', text: curlIdempotency(UNKNOWN_GATEWAY) },
  { language: 'shellscript', text: ENTER_TOKEN },
  { language: 'shellscript', text: CURL_MANAGE },
  { language: 'shellscript', text: CURL_USAGE },
  { language: 'typescript', text: TYPESCRIPT_MANAGE },
  { language: 'python', text: PYTHON_MANAGE },
  { language: 'typescript', text: typescriptPing(UNKNOWN_GATEWAY) },
  { language: 'typescript', text: typescriptRetry(UNKNOWN_GATEWAY) },
  { language: 'python', text: pythonPing(UNKNOWN_GATEWAY) },
  { language: 'python', text: pythonRetry(UNKNOWN_GATEWAY) },
];
