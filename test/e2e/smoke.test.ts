import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runProgram } from '../../bin/cli/command-line.ts';
import { runSmoke } from '../../bin/smoke/gateway.ts';
import { smokeProgram } from '../../bin/smoke/program.ts';
import { createClient, documentClient } from '../../functions/shared/store/client.ts';
import { localAccountStore } from '../../local/account-store.ts';
import { unusedPort } from '../../local/database.ts';
import { inShell } from '../support/admin.ts';
import { addressAs } from '../support/iam-proxy/callers.ts';
import * as change from '../support/deviating-gateway.ts';
import { deviatingGateway, where, type Deviate, type PassingAnswer } from '../support/deviating-gateway.ts';
import { tenant } from '../support/gateway.ts';
import { unknownKey } from '../support/keys.ts';
import { run, smoke as smokeProcess, type CliResult } from '../support/processes.ts';
import { shared } from '../support/shared/client.ts';
import type { SharedGateway } from '../support/shared/things.ts';

const ORIGIN = 'http://localhost:5173';
const NOBODYS_KEY = unknownKey('Project00000');

let gateway: SharedGateway;
let client: ReturnType<typeof createClient>;
/** The key of a project without units; its rate limit is enough for every run. */
let exhaustedKey: string;

/** The smoke test in this process: a new one takes longer to start than the checks take. */
const smoke = (args: readonly string[], input = ''): Promise<CliResult> => {
  const program = (given: readonly string[], shell: Parameters<typeof smokeProgram>[0]) =>
    runProgram(smokeProgram(shell), given, shell);
  return inShell('bin/smoke.ts', program, args, {}, false, {}, `${input}\n`);
};

/** A key of a new project, so that concurrent runs do not share limits. */
const newKey = async (options: Parameters<typeof tenant>[1] = {}): Promise<string> =>
  (await tenant({ store: localAccountStore(documentClient(client)) }, options)).key;
type Checks = { name: string; status: string; detail: string }[];
const named = ({ json }: Pick<CliResult, 'json'>, status: string) =>
  (json.checks as Checks).flatMap((check) => (check.status === status ? [check.name] : []));
const detailOf = ({ json }: CliResult, name: string) =>
  (json.checks as Checks).find((check) => check.name === name)?.detail;
const expectNoKey = ({ stdout, stderr }: CliResult) => expect(stdout + stderr).not.toMatch(/svc_(test|live)_/);

beforeAll(async () => {
  gateway = await shared<SharedGateway>('gateway');
  client = createClient(addressAs('test', gateway.databaseUrl));
  exhaustedKey = await newKey({ quotaLimit: 0, rpm: 1_000 });
});
afterAll(() => client.destroy());

describe('a gateway that keeps its contract', () => {
  test('passes with every option, costs one unit, and no key is printed', async () => {
    const args = [`${gateway.url}/`, '-', '--exhausted-key', '-', '--origin', ORIGIN];
    const result = await smokeProcess(args, {}, `${await newKey()}\n${exhaustedKey}\r\n`);
    expect([result.status, result.stderr]).toEqual([0, '']);
    expect(result.stdout).toMatch(/^ok {4}health {16}200$/m);
    expect(result.stdout).toMatch(
      /\n\nCost: 8 authenticated requests counted in the rate, 1 unit charged\.\nPASSED: 20 ok, 0 notes, 0 failed, 0 skipped\.\n$/,
    );
    expect(result.stdout).not.toContain('\u001b');
    expectNoKey(result);
  });

  test('passes with a note where no quota is enforced; the report is one JSON object', async () => {
    const result = await smoke([gateway.url, '--json'], await newKey({ quotaLimit: undefined }));
    expect(result.status).toBe(0);
    expect(result.json).toMatchObject({ ok: true, url: gateway.url, authenticatedRequests: 7, unitsCharged: 1 });
    expect([named(result, 'note'), named(result, 'skip')]).toEqual([['quota'], []]);
  });

  test.each<[what: string, given: () => Promise<[args: string[], input: string]>, failing: string, detail: string]>([
    [
      'allows another origin',
      async () => [['--origin', 'http://localhost:5174'], await newKey()],
      'preflight',
      'Access-Control-Allow-Origin: expected http://localhost:5174, got "none"',
    ],
    [
      'has no units for the key',
      async () => [[], await newKey({ quotaLimit: 0 })],
      'ping',
      'outcome: expected 200, got "429 QUOTA_EXCEEDED"',
    ],
    [
      'does not know the key',
      () => Promise.resolve([[], NOBODYS_KEY]),
      'malformed JSON',
      'outcome: expected 400 INVALID_REQUEST, got "401 INVALID_API_KEY"',
    ],
    [
      'has units for the second key',
      async () => [['--exhausted-key'], `${await newKey()}\n${await newKey()}`],
      'exhausted quota',
      'outcome: expected 429 QUOTA_EXCEEDED, got "200"',
    ],
  ])('fails where it %s', async (_what, given, failing, detail) => {
    const [args, input] = await given();
    const result = await smoke([gateway.url, '--json', ...args], input);
    expect([result.status, named(result, 'fail')[0], detailOf(result, failing)]).toEqual([1, failing, detail]);
    expectNoKey(result);
  });
});

const hasCode = (code: string) => (answer: PassingAnswer) => answer.text.includes(`"${code}"`);
const isReplay = ({ headers }: PassingAnswer) => 'x-service-idempotency-replayed' in headers;
const isPing = (answer: PassingAnswer) => hasCode('sandbox')(answer) && !isReplay(answer);
const { answered, drop, replace, set } = change;

/** One of each kind: what is changed, and the checks that must fail. */
const DEVIATIONS: [kind: string, deviate: Deviate, checks: string[]][] = [
  ['a status', where(hasCode('IDEMPOTENCY_CONFLICT'), answered({ status: 422 })), ['conflict']],
  [
    'a code',
    where((_, { url = '' }) => url.includes('=svc_test_'), replace('MISSING_API_KEY', 'INVALID_API_KEY')),
    ['key in query string'],
  ],
  ['a content type', where(hasCode('NOT_FOUND'), set('content-type', 'text/html')), ['unknown path', 'allowed origin']],
  [
    'a member too few',
    where(hasCode('NOT_FOUND'), replace(/"title":"[^"]*",/, '')),
    ['unknown path', 'allowed origin'],
  ],
  ['a member too many', where(isPing, replace('{', '{"extra":1,')), ['ping']],
  ['a member’s value', where(isReplay, replace('ready', 'steady')), ['replay']],
  ['a header too few', where(({ status }) => status === 415, drop('cache-control')), ['bad media type']],
  ['a header’s value', where(hasCode('QUOTA_EXCEEDED'), set('retry-after', 'soon')), ['exhausted quota']],
  [
    'a header of one answer on another',
    where(isPing, set('x-service-idempotency-replayed', 'true')),
    ['ping', 'quota'],
  ],
  [
    'an origin that may read',
    ({ headers }, request: IncomingMessage) => {
      const { origin } = request.headers;
      if (origin?.startsWith('https:')) headers['access-control-allow-origin'] = origin;
    },
    ['foreign origin'],
  ],
  ['a body and a header that differ', where(isPing, set('x-service-request-id', crypto.randomUUID())), ['ping']],
  ['a limit that does not fall', where(isPing, set('x-service-quota-remaining', '10000')), ['quota']],
  ['one limit’s headers that are absent', where(isReplay, drop('x-service-quota-metric', ...QUOTA())), ['quota']],
  ['no answer', (answer) => (hasCode('IDEMPOTENCY_CONFLICT')(answer) ? 'hangUp' : undefined), ['conflict']],
];
function QUOTA(): string[] {
  return ['limit', 'remaining', 'reset'].map((name) => `x-service-quota-${name}`);
}

describe('a deviation is noticed by the check that is meant for it, and by no other', () => {
  const deviating = async <T>(deviate: Deviate, work: (url: string) => Promise<T>): Promise<T> => {
    const server = await deviatingGateway(gateway.url, deviate);
    return work(server.url).finally(() => server.close());
  };

  test.each(DEVIATIONS)('%s', async (_kind, deviate, failing) => {
    const key = await newKey({ rpm: 20 });
    const report = await deviating(deviate, (url) => runSmoke(url, { key, exhaustedKey, origin: ORIGIN }));
    const failed = report.checks.filter(({ status }) => status === 'fail');
    expect(failed.map(({ name }) => name)).toEqual(failing);
    for (const { detail } of failed) expect(detail).toMatch(/^.*expected .*, got .*$/);
    expect(report.ok).toBe(false);
  });

  test('but the challenge under the name that API Gateway gives it is none', async () => {
    const rename: Deviate = ({ headers }) => {
      const { 'www-authenticate': challenge } = headers;
      if (challenge === undefined) return;
      headers['x-amzn-remapped-www-authenticate'] = challenge;
      Reflect.deleteProperty(headers, 'www-authenticate');
    };
    const key = await newKey();
    expect(await deviating(rename, (url) => runSmoke(url, { key }))).toMatchObject({ ok: true });
  });

  test('and a key that comes back is not shown', async () => {
    const key = await newKey();
    const echo: Deviate = (answer, { headers }) => {
      if (isReplay(answer)) answer.text = JSON.stringify({ ok: `${'x'.repeat(90)}${headers.authorization ?? ''}` });
    };
    const result = await deviating(echo, (url) => smoke([url, '--json'], key));
    expect([result.status, named(result, 'fail')]).toEqual([1, ['replay']]);
    expectNoKey(result);
  });

  test('what is not the gateway never gets the key', async () => {
    const seen: string[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization ?? '');
      response.end('Welcome');
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const result = await smoke([`http://127.0.0.1:${(other.address() as AddressInfo).port}`, '--json'], await newKey());
    other.close();
    expect([seen, result.status, named(result, 'fail'), named(result, 'ok')]).toEqual([[''], 1, ['health'], []]);
  });
});

describe('what cannot be run gets one clear line, a non-zero exit and an empty stdout', () => {
  const URL = 'https://gateway.example.com';
  test.each<[args: string[], input: string, message: RegExp]>([
    [['gateway.example.com'], '', /^error: a URL must be like https/],
    [[NOBODYS_KEY, URL], '', /^error: a URL must be like https/],
    [[`${URL}/api/v1`], '', /without path, query, fragment or credentials/],
    [['https://me:secret@gateway.example.com'], '', /without path, query, fragment or credentials/],
    [['http://127.0.0.1.example.com'], '', /must be https, except on this machine/],
    [['--portal', 'http://portal.example.com'], '', /must be https, except on this machine/],
    [[], '', /^error: give either <url> or --portal <url>\n$/],
    [[URL, '-'], '', /^error: the key on stdin must be an API key/],
    [[URL], NOBODYS_KEY.slice(0, -1), /^error: the key on stdin must be an API key/],
    [[URL], unknownKey('Project00000', 'live'), /^error: the key must be a test key/],
    [[URL, '--exhausted-key', '-'], NOBODYS_KEY, /^error: the exhausted key on stdin must be/],
    [[URL, '--origin', 'https://portal.example.com/'], '', /^error: --origin must be an origin such as/],
    [[URL, NOBODYS_KEY.slice(0, -1)], NOBODYS_KEY, /^error: Keys come from stdin only/],
    [[URL, '-', '--exhausted-key', NOBODYS_KEY], NOBODYS_KEY, /^error: Keys come from stdin only/],
    [[URL, '-', NOBODYS_KEY], '', /^error: too many arguments\. .*\n$/],
    [[URL, '-', `--${NOBODYS_KEY}`], '', /^error: unknown option '--svc_…'\n$/],
    [[URL, '-', '--jso'], '', /^error: unknown option '--jso'\n\(Did you mean --json\?\)\n$/],
    [[URL, '-', '--\u001b[2J\u009b\u202e'], '', /^error: unknown option '--\\u\{1b\}\[2J\\u\{9b\}\\u\{202e\}'\n$/],
  ])('%j with %j on stdin', async (args, input, message) => {
    const result = await smoke(args, input);
    expect([result.status, result.stdout]).toEqual([1, '']);
    expect(result.stderr).toMatch(message);
    expect(result.stderr).not.toContain('secret');
    expectNoKey(result);
  });

  test('a service that does not listen', async () => {
    const { status, stdout, stderr } = await smoke([`http://127.0.0.1:${await unusedPort()}`, '--json'], NOBODYS_KEY);
    expect([status, stdout, stderr]).toEqual([1, '', 'error: The service cannot be reached (ECONNREFUSED).\n']);
  });

  test('a reader that has seen enough', async () => {
    const running = run('smoke.ts', [gateway.url], {});
    running.child.stdin.write(`${await newKey()}\n`);
    running.child.stdout.destroy();
    expect([await running.exited, running.stderr]).toEqual([1, '']);
  });
});
