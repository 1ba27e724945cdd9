import { PING_PATH } from '../keys/ping.ts';

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

/** A call that simulates a code, with the client of {@link typescriptPing} and of {@link pythonPing}. */
export const typescriptSimulation = (code: string): string => `await gateway.ping({ simulate: '${code}' });`;
export const pythonSimulation = (code: string): string => `gateway.ping(simulate="${code}")`;

/** The check of a signature by the standard's library. */
export const VERIFYING = [
  {
    name: 'TypeScript',
    what: 'the check in TypeScript',
    text: `import { Webhook } from 'standardwebhooks'; // npm install standardwebhooks

// Throws if it is not ours. The body is that of the request, byte for byte.
const { type, data } = new Webhook(process.env.WEBHOOK_SECRET).verify(body, headers);
`,
  },
  {
    name: 'Python',
    what: 'the check in Python',
    text: `from standardwebhooks.webhooks import Webhook  # pip install standardwebhooks

# Raises if it is not ours. The body is that of the request, byte for byte.
notice = Webhook(os.environ["WEBHOOK_SECRET"]).verify(body, headers)
`,
  },
] as const;

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

/** What is shown outside of the documentation's pages, by language. The build of the app computes its colours. */
export const SAMPLES: readonly { readonly language: string; readonly text: string }[] = [
  { language: 'bash', text: curlPing(UNKNOWN_GATEWAY) },
  ...Object.values(commandsFor(UNKNOWN_GATEWAY, SOME_KEY)).map((text) => ({ language: 'bash', text })),
  { language: 'typescript', text: typescriptPing(UNKNOWN_GATEWAY) },
  { language: 'python', text: pythonPing(UNKNOWN_GATEWAY) },
];
