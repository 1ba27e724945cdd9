import { PYTHON_PACKAGE, TYPESCRIPT_PACKAGE } from '../gateway/packages.ts';
import { PING_PATH } from '../keys/ping.ts';
import { CURL_MANAGE, CURL_USAGE, ENTER_TOKEN, PYTHON_MANAGE, TYPESCRIPT_MANAGE } from './manage-samples.ts';

/** The key goes into the environment of the terminal, and not into its history. It is pasted when this runs. */
export const ENTER_KEY = 'read -rs SANDBOX_GATEWAY_API_KEY; export SANDBOX_GATEWAY_API_KEY';

/** A first ping, as arguments that a shell may wrap. */
export const curlPing = (gatewayUrl: string): string =>
  [
    `curl -i ${gatewayUrl}${PING_PATH} \\`,
    `  -H "Authorization: Bearer $SANDBOX_GATEWAY_API_KEY" \\`,
    `  -H 'Content-Type: application/json' -d '{}'`,
  ].join('\n');

/** Replaces the portal's address where it is not known. */
export const UNKNOWN_PORTAL = 'https://portal.example';

/** The packages of a registry, where the platform team has published there. */
export interface RegistryPackages {
  readonly npm: string | null;
  readonly pypi: string | null;
}

/** It is run before a key is in the environment. */
export const installTypescript = (portalUrl: string, { npm = null }: Partial<RegistryPackages> = {}): string =>
  `npm install ${npm === null ? `${portalUrl}/clients/${TYPESCRIPT_PACKAGE.file}` : inRegistry(npm)}`;

/** Under another name in a registry it is installed under the one that programs import. */
const inRegistry = (npm: string): string =>
  npm === TYPESCRIPT_PACKAGE.name ? npm : `${TYPESCRIPT_PACKAGE.name}@npm:${npm}`;

/** It makes its own environment: many systems allow no other. pip compares the sum, and installs nothing else. */
export const installPython = (portalUrl: string, { pypi = null }: Partial<RegistryPackages> = {}): string => {
  const { file, sha256 } = PYTHON_PACKAGE;
  const what = pypi ?? `'${portalUrl}/clients/${file}#sha256=${sha256}'`;
  return `python3 -m venv .venv && .venv/bin/pip install ${what}`;
};

/** A program with the library, for Node 20.3 or newer; it is JavaScript, too. */
export const typescriptPing = (gatewayUrl: string): string => `import { SandboxGateway } from 'sandbox-gateway';

const gateway = new SandboxGateway({ baseURL: '${gatewayUrl}' });
const { data, requestId } = await gateway.ping({
  clientRequestId: 'first-ping',
});
console.log(data.message, requestId);
`;

/** A program with the library, for Python 3.10 or newer. */
export const pythonPing = (gatewayUrl: string): string => `from sandbox_gateway import SandboxGateway

gateway = SandboxGateway(base_url="${gatewayUrl}")
answer = gateway.ping("first-ping")
print(answer.data.message, answer.request_id)
`;

/** The first request, its repeat and another body, in bash or zsh. `order` is new each time. */
export const curlIdempotency = (gatewayUrl: string): string =>
  [
    `order=order-$RANDOM-$RANDOM`,
    `ping() {`,
    `  curl -i ${gatewayUrl}${PING_PATH} \\`,
    `    -H "Authorization: Bearer $SANDBOX_GATEWAY_API_KEY" -H "Idempotency-Key: $order" \\`,
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
  baseURL: '${gatewayUrl}',
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
export const pythonRetry = (gatewayUrl: string): string => `import sys

from sandbox_gateway import SandboxGateway, SandboxGatewayError

gateway = SandboxGateway(
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

/** What is entered beside a new key, in each language: until the terminal takes the key, and then. */
export const commandsFor = (
  gatewayUrl: string,
  portalUrl: string,
  packages?: RegistryPackages,
): Readonly<Record<'curl' | 'TypeScript' | 'Python', readonly [untilKey: string, then: string]>> => ({
  curl: [ENTER_KEY, curlPing(gatewayUrl)],
  TypeScript: [
    `${installTypescript(portalUrl, packages)}\n${ENTER_KEY}`,
    `cat > ping.mjs <<'EOF'\n${typescriptPing(gatewayUrl)}EOF\nnode ping.mjs`,
  ],
  Python: [
    `${installPython(portalUrl, packages)}\n${ENTER_KEY}`,
    `cat > ping.py <<'EOF'\n${pythonPing(gatewayUrl)}EOF\n.venv/bin/python ping.py`,
  ],
});

/** All samples by language. The build of the app computes their colours. */
export const SAMPLES: readonly { readonly language: string; readonly text: string }[] = [
  ...[...new Set(Object.values(commandsFor(UNKNOWN_GATEWAY, UNKNOWN_PORTAL)).flat())].map((text) => ({
    language: 'shellscript',
    text,
  })),
  { language: 'shellscript', text: installTypescript(UNKNOWN_PORTAL) },
  { language: 'shellscript', text: installPython(UNKNOWN_PORTAL) },
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
