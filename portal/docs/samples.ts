import { PYTHON_PACKAGE, TYPESCRIPT_PACKAGE } from '../gateway/packages.ts';
import { PING_PATH } from '../keys/ping.ts';

/**
 * Replace both addresses in code, which gets the real ones when it is shown (`useReal`). `openapi.yaml` has the same.
 */
export const UNKNOWN_GATEWAY = 'https://gateway.example';
export const UNKNOWN_PORTAL = 'https://portal.example';

/** The key goes into the environment of the terminal, and not into its history. It is pasted when this runs. */
export const ENTER_KEY = 'read -rs SANDBOX_GATEWAY_API_KEY; export SANDBOX_GATEWAY_API_KEY';

/** A first ping, as arguments that a shell may wrap. */
export const CURL_PING = [
  `curl -i ${UNKNOWN_GATEWAY}${PING_PATH} \\`,
  `  -H "Authorization: Bearer $SANDBOX_GATEWAY_API_KEY" \\`,
  `  -H 'Content-Type: application/json' -d '{}'`,
].join('\n');

/** A management token goes the same way. The docs have both. */
export const ENTER_TOKEN = `read -rs SANDBOX_MANAGEMENT_TOKEN; export SANDBOX_MANAGEMENT_TOKEN
export SANDBOX_MANAGEMENT_BASE_URL=${UNKNOWN_PORTAL}/manage/v1
`;
export const CURL_PROJECTS = `curl $SANDBOX_MANAGEMENT_BASE_URL/projects \\
  -H "Authorization: Bearer $SANDBOX_MANAGEMENT_TOKEN"`;

/** The packages of a registry, where the platform team has published there. */
export interface RegistryPackages {
  readonly npm: string | null;
  readonly pypi: string | null;
}

/**
 * It is run before a key is in the environment. npm compares no sum of its own with one that it is given, so a program
 * of macOS or of Linux does.
 */
export function installTypescript({ npm = null }: Partial<RegistryPackages> = {}): string {
  if (npm !== null) return `npm install ${inRegistry(npm)}`;
  const { file: path, sha256 } = TYPESCRIPT_PACKAGE;
  const file = path.replace(/.*\//, '');
  return [
    `curl -fsSO ${UNKNOWN_PORTAL}/clients/${path}`,
    `echo '${sha256}  ${file}' |`,
    '  $(command -v shasum >/dev/null && echo shasum -a 256 || echo sha256sum) -c &&',
    `  npm install ./${file}`,
  ].join('\n');
}

/** Under another name in a registry it is installed under the one that programs import. */
const inRegistry = (npm: string): string =>
  npm === TYPESCRIPT_PACKAGE.name ? npm : `${TYPESCRIPT_PACKAGE.name}@npm:${npm}`;

/** It makes its own environment: many systems allow no other. pip compares the sum, and installs nothing else. */
export const installPython = ({ pypi = null }: Partial<RegistryPackages> = {}): string => {
  const { file, sha256 } = PYTHON_PACKAGE;
  const what = pypi ?? `'${UNKNOWN_PORTAL}/clients/${file}#sha256=${sha256}'`;
  return `python3 -m venv .venv\n.venv/bin/pip install ${what}`;
};

/** A program with the library, for Node 20.19 or newer; it is JavaScript, too. */
export const TYPESCRIPT_PING = `import { SandboxGateway } from 'sandbox-gateway';

const gateway = new SandboxGateway({ baseURL: '${UNKNOWN_GATEWAY}' });
const { data, requestId } = await gateway.ping({ clientRequestId: 'first-ping' });
console.log(data.message, requestId);
`;

/** A program with the library, for Python 3.10 or newer. */
export const PYTHON_PING = `from sandbox_gateway import SandboxGateway

gateway = SandboxGateway(base_url="${UNKNOWN_GATEWAY}")
answer = gateway.ping("first-ping")
print(answer.data.message, answer.request_id)
`;

/**
 * How to cause an error, in each language. The client libraries cannot send what causes those that are not simulated.
 */
export const linesFor = (code: string, curl: string) => [
  { language: 'bash', name: 'curl', text: curl, what: `the curl command for ${code}` },
  ...(curl.includes('simulate')
    ? [
        {
          language: 'typescript',
          name: 'TypeScript',
          what: `the TypeScript program for ${code}`,
          text: `import { SandboxGateway } from 'sandbox-gateway';

const gateway = new SandboxGateway({
  baseURL: '${UNKNOWN_GATEWAY}',
  maxRetries: 0,
});
await gateway
  .ping({ simulate: '${code}' })
  .catch(({ code, detail }) => console.log(code, detail));
`,
        },
        {
          language: 'python',
          name: 'Python',
          what: `the Python program for ${code}`,
          text: `from sandbox_gateway import SandboxGateway, SandboxGatewayError

gateway = SandboxGateway(base_url="${UNKNOWN_GATEWAY}", max_retries=0)
try:
    gateway.ping(simulate="${code}")
except SandboxGatewayError as error:
    print(error.code, error.detail)
`,
        },
      ]
    : []),
];

/** The check of a webhook's signature. */
export const VERIFYING = [
  {
    language: 'typescript',
    name: 'TypeScript',
    what: 'the check in TypeScript',
    text: `import { verifyWebhook } from 'sandbox-gateway/webhooks';

/** The body byte for byte. It throws if the delivery is not ours. */
export const receive = (body: Uint8Array, headers: Headers) =>
  verifyWebhook(body, headers, process.env.WEBHOOK_SECRET ?? '');
`,
  },
  {
    language: 'python',
    name: 'Python',
    what: 'the check in Python',
    text: `import os

from sandbox_gateway.webhooks import verify_webhook


def receive(body, headers):
    """The body byte for byte. It raises if the delivery is not ours."""
    return verify_webhook(body, headers, os.environ["WEBHOOK_SECRET"])
`,
  },
] as const;

/** What is entered beside a new key, in each language: until the terminal takes the key, and then. */
export const commandsFor = (
  packages?: RegistryPackages,
): Readonly<Record<'curl' | 'TypeScript' | 'Python', readonly [untilKey: string, then: string]>> => ({
  curl: [ENTER_KEY, CURL_PING],
  TypeScript: [
    `${installTypescript(packages)}\n${ENTER_KEY}`,
    `cat > ping.mjs <<'EOF'\n${TYPESCRIPT_PING}EOF\nnode ping.mjs`,
  ],
  Python: [
    `${installPython(packages)}\n${ENTER_KEY}`,
    `cat > ping.py <<'EOF'\n${PYTHON_PING}EOF\n.venv/bin/python ping.py`,
  ],
});

/** What is shown outside of the documentation's prose, by language. The build of the app computes its colours. */
export const SAMPLES: readonly { readonly language: string; readonly text: string }[] = [
  ...[...new Set(Object.values(commandsFor()).flat())].map((text) => ({
    language: 'bash',
    text,
  })),
  ...[ENTER_TOKEN, CURL_PROJECTS].map((text) => ({ language: 'bash', text })),
  { language: 'bash', text: installTypescript() },
  { language: 'bash', text: installPython() },
  { language: 'typescript', text: TYPESCRIPT_PING },
  { language: 'python', text: PYTHON_PING },
  ...VERIFYING,
];
