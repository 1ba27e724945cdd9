import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { CONTRACT } from '../../portal/gateway/contract.ts';
import { ERRORS } from '../../portal/gateway/errors.ts';
import { GUIDES } from '../../portal/gateway/guides.ts';
import { docsTexts } from '../../portal/build/docs-text.ts';
import {
  commandsFor,
  CURL_PING,
  installPython,
  installTypescript,
  PYTHON_PING,
  TYPESCRIPT_PING,
  UNKNOWN_GATEWAY,
  UNKNOWN_PORTAL,
} from '../../portal/docs/samples.ts';
import { readProject } from '../../functions/accounts/projects/stored-projects.ts';
import { createToken } from '../../functions/accounts/tokens/tokens.ts';
import { cliOn } from '../support/cli.ts';
import { operatorOf } from '../support/operator.ts';
import { signedIn } from '../support/portal-site.ts';
import {
  completed,
  end,
  portOf,
  ROOT,
  runCommand,
  startGateway,
  until,
  type RunningGateway,
  type Variables,
} from '../support/processes.ts';
import { PYTHON_PROGRAM, testInPython, WITH_LIBRARY } from '../support/python.ts';
import { served, type Served } from '../support/served.ts';
import { scriptedServer } from '../support/scripted-server.ts';
import { noteSecret } from '../support/secrets/journal.ts';
import { DAY_MS } from '../support/times.ts';

/** The code samples of the portal's documentation, as a reader copies them. */
let gateway: RunningGateway;
let directory: string;
let portalUrl: string;
beforeAll(async () => {
  [gateway, directory] = await Promise.all([startGateway({ PORTAL: 'on' }), mkdtemp(join(tmpdir(), 'samples-'))]);
  portalUrl = /^ *Portal +(http\S+)/m.exec(gateway.stdout)?.[1] ?? '';
  // Makes the libraries available, as if they were installed there.
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  await writeFile(join(directory, 'package.json'), JSON.stringify({ type: 'module' }));
});
afterAll(async () => {
  await end(gateway);
  await rm(directory, { recursive: true });
});

/** Code of a page, by its name. */
function sampleOf(address: string, what: string): string {
  const blocks = GUIDES.find((guide) => guide.address === address)?.sections.flatMap((section) => section.blocks) ?? [];
  for (const block of blocks) if (block.kind === 'code' && block.what === what) return block.text;
  throw new Error(`${address} has no ${what}.`);
}
/** Code for the gateway at an address. */
const at =
  (text: string) =>
  (url: string): string =>
    text.replace(UNKNOWN_GATEWAY, url);
const retryIn = (language: string) => at(sampleOf('/docs/idempotency', `the ${language} program`));

/** Saves a program under its name and runs it. */
async function runSaved(name: string, text: string, command: string, variables: Variables, input = '') {
  const file = join(directory, name);
  await writeFile(file, text);
  return completed(runCommand(command, [file], { ...WITH_LIBRARY, ...variables }), input);
}

const READY = 'Sandbox gateway is ready.';
const UNAVAILABLE = {
  status: 503,
  headers: { 'X-Service-Request-Id': 'r', 'Retry-After': '0' },
  body: { ok: false, code: 'SERVICE_UNAVAILABLE', detail: 'No.' },
};
const REPLAY = {
  status: 200,
  headers: { 'X-Service-Request-Id': 'r', 'X-Service-Idempotency-Replayed': 'true' },
  body: { ok: true, mode: 'sandbox', message: 'ready', requestId: 'r' },
};

test('the command that takes the key hides it, and curl then sends a ping with it', async () => {
  const text = `${sampleOf('/docs', 'the command that takes the key')}\n${CURL_PING.replace(UNKNOWN_GATEWAY, gateway.url)}\n`;
  const result = await runSaved('ping.sh', text, 'bash', {}, `${gateway.key}\n`);
  expect([result.status, result.stdout]).toEqual([0, expect.stringMatching(/^HTTP\/1.1 200 OK/)]);
  expect(result.stdout).toContain(READY);
  expect(result.stdout + result.stderr).not.toContain(gateway.key);
});

test('a test of one’s own plays answers to the library, and sends nothing', async () => {
  const text = sampleOf('/docs/testing', 'the test in TypeScript');
  const result = await runSaved('played.mjs', text, process.execPath, {});
  expect([result.status, result.stdout]).toEqual([0, 'played with 0 answers left\n']);
});
testInPython('in Python, too', async () => {
  const text = sampleOf('/docs/testing', 'the test in Python');
  const result = await runSaved('played.py', text, PYTHON_PROGRAM, {});
  expect([result.status, result.stdout]).toEqual([0, 'played with 0 answers left\n']);
});

test('a key that was found is reported as the page says', async () => {
  const report = sampleOf('/docs/keys', 'the report').replace(UNKNOWN_PORTAL, portalUrl);
  const { stdout } = await runSaved(
    'report.sh',
    report.replace('curl ', 'curl -s -o /dev/null -w "%{http_code}" '),
    'bash',
    {},
  );
  expect(stdout).toBe('204');
});

test('a job makes two keys under one budget, uses both, and ends the run, as it stands', async () => {
  const cli = cliOn(gateway.databaseUrl);
  const { projectId } = gateway;
  const operator = operatorOf(gateway.databaseUrl, 'test');
  const { accountId } = await readProject(operator.store, projectId);
  const details = { name: 'job', scopes: ['keys:write'], lifetimeMs: DAY_MS } as const;
  const { token } = await createToken(operator.store, accountId, details);
  operator.close();
  const text = sampleOf('/docs/automation', 'the job').replace(UNKNOWN_GATEWAY, gateway.url);
  const variables = {
    SANDBOX_MANAGEMENT_BASE_URL: `${portalUrl}/manage/v1`,
    SANDBOX_MANAGEMENT_TOKEN: token,
    PROJECT: projectId,
    RUN: 'run-7',
  };
  const job = await runSaved('job.ts', text, process.execPath, variables);
  expect(job).toMatchObject({ status: 0, stdout: 'The run is over. It has spent 2 units.\n' });
  const { keys } = await cli.json('key', 'list', '--project', projectId);
  const ofRun = (keys as Record<string, unknown>[]).filter(({ unitsPeriod }) => unitsPeriod === 'once');
  expect(ofRun.map(({ name, unitsLimit, unitsUsed }) => [name, unitsLimit, unitsUsed])).toEqual([
    ['planner', 0, 2],
    ['writer', 0, 2],
  ]);
  cli.close();
});

/**
 * Runs commands on another machine, which has nothing of this repository. There is no PyPI for tests, so a new
 * environment of Python has what Debian packages, httpx among it.
 */
async function elsewhere(commands: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const machine = await mkdtemp(join(tmpdir(), 'machine-'));
  const all = { ...files, 'commands.sh': `${[`cd ${machine}`, ...commands].join('\n')}\n` };
  for (const [name, text] of Object.entries(all)) await writeFile(join(machine, name), text);
  const bin = join(machine, 'bin');
  await mkdir(bin);
  const python = `#!/bin/sh\n[ "$2" = venv ] && shift 2 && exec ${PYTHON_PROGRAM} -m venv --system-site-packages "$@"\n`;
  await writeFile(join(bin, 'python3'), `${python}exec ${PYTHON_PROGRAM} "$@"\n`);
  await chmod(join(bin, 'python3'), 0o755);
  const variables = {
    HOME: machine,
    PATH: `${bin}:${process.env.PATH}`,
    PIP_NO_INDEX: '1',
    npm_config_offline: 'false',
  };
  const result = await completed(runCommand('bash', [join(machine, 'commands.sh')], variables), `${gateway.key}\n`);
  await rm(machine, { recursive: true });
  return result;
}

/** The sample programs, by language of the library. */
const PROGRAMS = [
  {
    language: 'TypeScript',
    file: 'ts',
    program: process.execPath,
    test,
    ping: at(TYPESCRIPT_PING),
    retry: retryIn('TypeScript'),
  },
  {
    language: 'Python',
    file: 'py',
    program: PYTHON_PROGRAM,
    test: testInPython,
    ping: at(PYTHON_PING),
    retry: retryIn('Python'),
  },
] as const;

describe.each(PROGRAMS)('$language', ({ language, file, program, test: testHere, ping, retry }) => {
  testHere('sends a ping, and fails with the code when it is refused', async () => {
    const text = ping(gateway.url);
    const ready = await runSaved(`ping.${file}`, text, program, { SANDBOX_GATEWAY_API_KEY: gateway.key });
    expect(ready).toEqual({ status: 0, stdout: expect.stringContaining(READY), stderr: '' });
    const refused = await runSaved(`ping.${file}`, text, program, { SANDBOX_GATEWAY_API_KEY: 'svc_test_wrong' });
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('INVALID_API_KEY')]);
  });

  testHere(
    'repeats a call under an Idempotency-Key of its own choice, and says whether it was charged before',
    async () => {
      const server = await scriptedServer(UNAVAILABLE, 'hangUp', REPLAY);
      const result = await runSaved(`retry.${file}`, retry(server.url), program, {
        SANDBOX_GATEWAY_API_KEY: 'svc_test_key',
      });
      server.close();
      expect(result).toMatchObject({ status: 0, stdout: 'charged before\n' });
      expect(result.stderr).toMatch(/^SERVICE_UNAVAILABLE again in .*\nCONNECTION_FAILED again in .*\n$/);
      const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
      expect(keys).toEqual(['order-7', 'order-7', 'order-7']);
    },
  );

  testHere('says by its exit status whether a later run may succeed', async () => {
    const body = { ok: false, code: 'QUOTA_EXCEEDED', detail: 'No.' };
    for (const [answer, status] of [
      [{ ...UNAVAILABLE, headers: { ...UNAVAILABLE.headers, 'Retry-After': '86400' } }, 75],
      [{ ...UNAVAILABLE, status: 429, body }, 1],
    ] as const) {
      const server = await scriptedServer(answer);
      const result = await runSaved(`retry.${file}`, retry(server.url), program, {
        SANDBOX_GATEWAY_API_KEY: 'svc_test_key',
      });
      server.close();
      expect([result.status, result.stderr]).toEqual([status, `${answer.body.code} No. r\n`]);
    }
  });

  testHere(
    'is in the commands beside a new key, from the portal’s own package, on a machine without the repository',
    async () => {
      const [untilKey, then] = commandsFor()[language].map((text) =>
        text.replaceAll(UNKNOWN_GATEWAY, gateway.url).replaceAll(UNKNOWN_PORTAL, portalUrl),
      ) as [string, string];
      const { status, stdout } = await elsewhere([untilKey, then]);
      expect([status, stdout]).toEqual([0, expect.stringContaining(READY)]);
      expect(untilKey + then).not.toContain('svc_test_');
    },
  );

  testHere('is what the README says, as it is written there', async () => {
    const readme = await readFile(join(ROOT, `clients/${language.toLowerCase()}/README.md`), 'utf8');
    const [, , code = ''] = /^ *```(js|python)\n([^]*?)^ *```$/m.exec(readme) ?? [];
    const shell = [...readme.matchAll(/^ *```sh\n([^]*?)^ *```$/gm)].map(([, command = '']) => command.trim());
    const [enter = '', run = ''] = shell;
    // The README is in the package, so it cannot name its sum: it leads to the command of the portal.
    const install = (language === 'Python' ? installPython() : installTypescript()).replace(UNKNOWN_PORTAL, portalUrl);
    const text = code.replaceAll(/^ {3}/gm, '').replace(UNKNOWN_GATEWAY, gateway.url);
    const commands = [install, enter, run];
    const { status, stdout } = await elsewhere(commands, { [language === 'Python' ? 'ping.py' : 'ping.mjs']: text });
    expect([status, stdout]).toEqual([0, expect.stringContaining(READY)]);
  });
});

test('a package with another sum than that of the command is not installed', async () => {
  const install = installTypescript().replace(UNKNOWN_PORTAL, portalUrl);
  // On Linux and on macOS, whose programs differ: the first is tried where it is there.
  for (const program of ['shasum -a 256', 'sha256sum']) {
    const by = install.replace(/\$\(.*\)/, program);
    const { stdout } = await elsewhere([by.replace(/^echo './m, "echo '-"), 'ls node_modules']);
    expect([program, stdout]).toEqual([program, '']);
    const right = await elsewhere([by, 'ls node_modules']);
    expect([program, right.stdout]).toEqual([program, expect.stringContaining('\nsandbox-gateway\n')]);
  }
});

test('of the three requests under one Idempotency-Key one is charged, one replayed and one refused; done again, alike', async () => {
  const three = sampleOf('/docs/idempotency', 'the three requests').replace(UNKNOWN_GATEWAY, gateway.url);
  for (const time of ['first', 'second']) {
    const { stdout } = await runSaved('three.sh', three, 'bash', { SANDBOX_GATEWAY_API_KEY: gateway.key });
    const statuses = stdout.match(/(?<=^HTTP\/1.1 )\d+/gm);
    expect([time, statuses]).toEqual([time, ['200', '200', '409']]);
    expect(stdout.match(/^x-service-idempotency-replayed: true/gim)).toHaveLength(1);
    expect(stdout).toContain('"code":"IDEMPOTENCY_CONFLICT"');
  }
});

describe('a webhook', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  noteSecret('secret of an endpoint', secret);
  const [id, body, at] = ['ntc_1', '{"type":"project.suspended","timestamp":"","data":{}}', new Date()];
  const signature = new Webhook(secret).sign(id, at, body);
  const timestamp = String(Math.floor(at.getTime() / 1_000));

  test('is signed as the line of bash computes it', async () => {
    const text = sampleOf('/docs/webhooks', 'the signature in bash');
    const variables = { WEBHOOK_SECRET: secret, ID: id, TIMESTAMP: timestamp, BODY: body };
    const { stdout } = await runSaved('signature.sh', text, 'bash', variables);
    expect(`v1,${stdout.trim()}`).toBe(signature);
  });

  /** The receivers, each at a port that it chooses and prints. */
  const RECEIVERS = [
    {
      language: 'TypeScript',
      file: 'receiver.ts',
      program: process.execPath,
      test,
      listens: '.listen(4000);',
      instead: ".listen(0, '127.0.0.1', function () { console.log(this.address().port); });",
    },
    {
      language: 'Python',
      file: 'receiver.py',
      program: PYTHON_PROGRAM,
      test: testInPython,
      listens: 'HTTPServer(("127.0.0.1", 4000), Receiver).serve_forever()',
      instead:
        'server = HTTPServer(("127.0.0.1", 0), Receiver)\nprint(server.server_port, flush=True)\nserver.serve_forever()',
    },
  ];
  describe.each(RECEIVERS)('in $language', ({ language, file, program, test: testHere, listens, instead }) => {
    testHere('is verified by the receiver, and refused where it was changed', async () => {
      const text = sampleOf('/docs/webhooks', `the receiver in ${language}`);
      expect(text).toContain(listens);
      await writeFile(join(directory, file), text.replace(listens, instead));
      const variables = { ...WITH_LIBRARY, PYTHONUNBUFFERED: '1', WEBHOOK_SECRET: secret };
      const receiver = runCommand(program, [join(directory, file)], variables);
      await until(() => /^\d+\n/.test(receiver.stdout));
      const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
      const send = async (sent: string): Promise<number> => {
        const address = `http://127.0.0.1:${receiver.stdout.split('\n')[0]}`;
        return (await fetch(address, { method: 'POST', headers, body: sent })).status;
      };
      expect([await send(body), await send(body.replace('suspended', 'resumed'))]).toEqual([204, 401]);
      receiver.child.kill();
      await receiver.exited;
      expect(receiver.stdout).toContain('ntc_1 project.suspended');
    });
  });
});

/** Every sample of the pages as they are served, with the heading above it. What moves the clock comes last. */
const SAMPLES = [...(await docsTexts())]
  .flatMap(([page, text]) =>
    text.split('\n## ').flatMap((section) => {
      const [, code = '', status = ''] = /^`([A-Z_]+)` (\d{3}) /.exec(section) ?? [];
      return [...section.matchAll(/^```(bash|typescript|python)\n([^]*?)^```$/gm)].map(
        ([, language = '', sample = ''], i) => ({
          name: `${page}, ${/^(# )?(.*)/.exec(section)?.[2]}, ${language} ${i + 1}`,
          code,
          status,
          language,
          sample,
        }),
      );
    }),
  )
  // Tests above run these: what waits for deliveries, and what is installed on another machine.
  .filter(({ sample }) => !/\.listen\(|serve_forever|pip install|npm install/.test(sample))
  .toSorted((one, other) => Number(one.sample.includes('clock')) - Number(other.sample.includes('clock')));

describe('each sample of the documentation runs as it stands', () => {
  const values: Record<string, string> = {};
  let meter: Served;
  beforeAll(async () => {
    const cli = cliOn(gateway.databaseUrl);
    const { key } = await cli.newKey(gateway.projectId, '--rpm', '1000');
    const { key: live } = await cli.json('key', 'create', '--project', gateway.projectId, '--mode', 'live');
    cli.close();
    const { create, newProject } = await signedIn({ ...gateway, portalUrl, mailboxUrl: '' }, 'samples@example.com');
    const { account, project } = await newProject();
    meter = await served((_request, response) => response.end());
    const scopes = ['keys:read', 'keys:write', 'usage:read'];
    const { token = '' } = await create(`${account}/tokens`, { name: 'CI', scopes, expiresInDays: 1 });
    Object.assign(values, {
      ...{ SANDBOX_GATEWAY_API_KEY: key, LIVE_API_KEY: String(live), PORT: portOf(gateway.url) },
      ...{ SANDBOX_MANAGEMENT_TOKEN: token, SANDBOX_MANAGEMENT_BASE_URL: `${portalUrl}/manage/v1` },
      ...{
        PROJECT: project.split('/').at(-1),
        RUN: 'run-8',
        WEBHOOK_SECRET: 'whsec_c2VjcmV0',
        ID: 'ntc_1',
        TIMESTAMP: '1',
        BODY: '{}',
      },
    });
  });

  afterAll(() => meter.close());

  /** The refusals that a sample is about, on other pages than that of the errors. */
  const refusedIn = (sample: string): string | undefined =>
    /"simulate":"(\w+)"/.exec(sample)?.[1] ?? (sample.includes('$order') ? 'IDEMPOTENCY_CONFLICT' : undefined);
  const BY = { typescript: ['ts', process.execPath], python: ['py', PYTHON_PROGRAM], bash: ['sh', 'bash'] } as const;
  describe.each(SAMPLES)('$name', ({ code, status, language, sample }) => {
    const [ending, program] = BY[language as keyof typeof BY];
    (language === 'python' ? testInPython : test)('ends well, and says nothing of undefined', async () => {
      const text = sample
        .replaceAll(UNKNOWN_GATEWAY, gateway.url)
        .replaceAll(UNKNOWN_PORTAL, portalUrl)
        .replaceAll('https://billing.example', meter.url);
      const typed = values[/read -rs (\w+)/.exec(text)?.[1] ?? ''] ?? '';
      const { status: exit, stdout, stderr } = await runSaved(`sample.${ending}`, text, program, values, `${typed}\n`);
      expect([exit, language === 'bash' ? '' : stderr]).toEqual([0, '']);
      expect(stdout).not.toMatch(/undefined|\bNone\b/);
      values.KEY_ID ||= /"keyId":"(\w+)"/.exec(stdout)?.[1] ?? '';
      if (language === 'bash') {
        const refused = code || refusedIn(sample);
        const codes = new Set(stdout.match(/(?<="code":")\w+/g));
        expect(codes).toEqual(new Set(refused === undefined ? [] : [refused]));
        if (code) expect(stdout.match(/(?<=^HTTP\/1.1 )\d+/gm)?.at(-1)).toBe(status);
        if (code) expect(/^x-service-simulated: true/im.test(stdout)).toBe(CONTRACT.simulations.includes(code));
      } else if (code) expect(stdout).toMatch(new RegExp(`^${code} \\S`));
    });
  });

  test('in three languages, for each error that can be simulated', () => {
    const languagesOf = (wanted: string) =>
      SAMPLES.flatMap(({ code, language }) => (code === wanted ? [language] : []));
    for (const { code } of ERRORS)
      expect(languagesOf(code)).toEqual(
        CONTRACT.simulations.includes(code) ? ['bash', 'typescript', 'python'] : ['bash'],
      );
  });
});

test('the programs in TypeScript have no error in a strict project', async () => {
  const programs = SAMPLES.filter(({ language }) => language === 'typescript');
  const receiver = sampleOf('/docs/webhooks', 'the receiver in TypeScript');
  const files = await Promise.all(
    [receiver, ...programs.map(({ sample }) => sample)].map(async (text, i) => {
      await writeFile(join(directory, `strict-${i}.ts`), text);
      return `strict-${i}.ts`;
    }),
  );
  expect(files.length).toBeGreaterThan(15);
  const compilerOptions = { strict: true, skipLibCheck: true, module: 'nodenext', target: 'es2022', types: ['node'] };
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const tsc = runCommand(join(ROOT, 'node_modules/.bin/tsc'), ['--noEmit', '--project', directory], {});
  expect([await tsc.exited, tsc.stdout]).toEqual([0, '']);
});
