import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CheckResult } from '../../bin/smoke/run.ts';
import { runProgram } from '../../bin/cli/command-line.ts';
import { smokeProgram } from '../../bin/smoke/program.ts';
import { runSmoke } from '../../bin/smoke/report.ts';
import { createClient, documentClient } from '../../functions/shared/store/client.ts';
import { localAccountStore } from '../../local/account-store.ts';
import { unusedPort } from '../../local/database.ts';
import { inShell } from '../support/admin.ts';
import { addressAs } from '../support/iam-proxy/callers.ts';
import {
  answered,
  deviatingGateway,
  drop,
  replace,
  set,
  where,
  type Deviate,
  type PassingAnswer,
} from '../support/deviating-gateway.ts';
import { IS_FULL } from '../support/extent.ts';
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

/**
 * Runs the smoke test like `smokeProcess`, but in this process: a new one takes longer to start than the checks take.
 */
const smoke = (args: readonly string[], input = ''): Promise<CliResult> =>
  inShell(
    'bin/smoke.ts',
    (given, shell) => runProgram(smokeProgram(shell), given, shell),
    args,
    {},
    false,
    {},
    `${input}\n`,
  );

/** A key of a new project, so that concurrent runs do not share limits. */
const newKey = async (options: Parameters<typeof tenant>[1] = {}): Promise<string> =>
  (await tenant({ store: localAccountStore(documentClient(client)) }, options)).key;
const checksOf = ({ json }: CliResult) => json.checks as CheckResult[];
const namesOf = (result: CliResult, status: CheckResult['status']) =>
  checksOf(result).flatMap((check) => (check.status === status ? [check.name] : []));
const detailOf = (result: CliResult, name: string) => checksOf(result).find((check) => check.name === name)?.detail;
const expectNoKey = ({ stdout, stderr }: CliResult) => expect(stdout + stderr).not.toMatch(/svc_(test|live)_/);

beforeAll(async () => {
  gateway = await shared<SharedGateway>('gateway');
  client = createClient(addressAs('test', gateway.databaseUrl));
  exhaustedKey = await newKey({ quotaLimit: 0, rpm: 1_000 });
});
afterAll(() => client.destroy());

describe('a gateway that keeps its contract', () => {
  test('passes, costs one unit, and no key is printed', async () => {
    const key = await newKey();
    const result = await smoke([`${gateway.url}/`], key);
    expect([result.status, result.stderr]).toEqual([0, '']);
    expect(result.stdout).toMatch(/^ok {4}health {15}200$/m);
    expect(result.stdout).toMatch(
      /\n\nCost: 7 authenticated requests counted in the rate, 1 unit charged\.\nPASSED: 23 ok, 0 notes, 0 failed, 0 skipped\.\n$/,
    );
    expect(result.stdout).not.toContain('\u001b');
    expectNoKey(result);
  });

  test('passes with every option; keys come from stdin, and the report is one JSON object', async () => {
    const key = await newKey();
    const args = [gateway.url, '-', '--exhausted-key', '-', '--origin', ORIGIN, '--json'];
    const result = await smokeProcess(args, {}, `${key}\n${exhaustedKey}\r\n`);
    expect([result.status, result.stderr]).toEqual([0, '']);
    expect(result.json).toMatchObject({ ok: true, url: gateway.url, authenticatedRequests: 8, unitsCharged: 1 });
    expect(namesOf(result, 'ok')).toHaveLength(checksOf(result).length);
    expect(namesOf(result, 'ok')).toEqual(expect.arrayContaining(['preflight', 'allowed origin', 'exhausted quota']));
    expectNoKey(result);
  });

  test('passes with a note where no quota is enforced', async () => {
    const result = await smoke([gateway.url, '--json'], await newKey({ quotaLimit: undefined }));
    expect(result.status).toBe(0);
    expect(namesOf(result, 'note')).toEqual(['quota']);
    expect(namesOf(result, 'skip')).toEqual([]);
  });

  test('is distinguished from one that allows another origin', async () => {
    const result = await smoke([gateway.url, '--origin', 'http://localhost:5174', '--json'], await newKey());
    expect(result.status).toBe(1);
    expect(namesOf(result, 'fail')).toEqual(['preflight', 'allowed origin']);
    expect(detailOf(result, 'preflight')).toBe(
      'Access-Control-Allow-Origin: expected "http://localhost:5174", got none',
    );
  });
});

describe('limits of the key itself are named, what they prevent is skipped, and the run fails', () => {
  test('rate', async () => {
    // Of seven requests more than three are in one minute, wherever the minute ends.
    const result = await smoke([gateway.url, '--json'], await newKey({ rpm: 3 }));
    expect(result.status).toBe(1);
    const [blocked = '', ...others] = namesOf(result, 'fail');
    expect(others).toEqual([]);
    expect(detailOf(result, blocked)).toMatch(/^the key's rate limit is used up \(429 RATE_LIMIT_EXCEEDED\)/);
    expect(detailOf(result, 'conflict')).toMatch(/rate limit is used up|^needs "(ping|replay)"$/);
    expect(result.json.authenticatedRequests).toBeLessThan(7);
  });

  test('quota', async () => {
    const result = await smoke([gateway.url, '--json'], await newKey({ quotaLimit: 0 }));
    expect(result.status).toBe(1);
    expect(namesOf(result, 'fail')).toEqual(['ping']);
    expect(detailOf(result, 'ping')).toMatch(/^the project's quota is used up \(429 QUOTA_EXCEEDED\)/);
    expect(namesOf(result, 'skip')).toEqual(['replay', 'conflict']);
    expect(result.json.unitsCharged).toBe(0);
  });

  test('a key that is not accepted', async () => {
    const result = await smoke([gateway.url, '-'], NOBODYS_KEY);
    expect(result.status).toBe(1);
    expect(result.stdout).toMatch(/^FAIL {2}malformed JSON +the key is not accepted \(401 INVALID_API_KEY\)$/m);
    expect(result.stdout).toMatch(/^skip {2}bad Idempotency-Key +the key is not accepted/m);
    expect(result.stdout).toMatch(/\nCost: 0 authenticated requests .*, 0 units .*\nFAILED: .*, 1 failed, .*\n$/);
    expectNoKey(result);
  });

  test('an exhausted key that has units left', async () => {
    const result = await smoke([gateway.url, '--exhausted-key', '--json'], `${await newKey()}\n${await newKey()}`);
    expect(result.status).toBe(1);
    expect(namesOf(result, 'fail')).toEqual(['exhausted quota']);
    expect(detailOf(result, 'exhausted quota')).toBe('status: expected 429 QUOTA_EXCEEDED, got 200');
    expect(result.json).toMatchObject({ authenticatedRequests: 8, unitsCharged: 2 });
  });
});

const always = () => true;
const hasCode = (code: string) => (answer: PassingAnswer) => answer.text.includes(`"${code}"`);
/** Conditions for answers that no origin may read. */
const isAcrossNoOrigins = (applies: (answer: PassingAnswer) => boolean) => (answer: PassingAnswer) =>
  applies(answer) && !('access-control-allow-origin' in answer.headers);
const isReplay = ({ headers }: PassingAnswer) => 'x-service-idempotency-replayed' in headers;
const isPing = (answer: PassingAnswer) => hasCode('sandbox')(answer) && !isReplay(answer);
const isVeryLarge = (_: PassingAnswer, { headers }: IncomingMessage) => Number(headers['content-length']) > 6_000_000;
const QUOTA = ['limit', 'remaining', 'reset', 'metric'].map((name) => `x-service-quota-${name}`);
const OTHER_ID = '00000000-0000-4000-8000-000000000000';

/** The change, and the check that must fail. */
const DEVIATIONS: [what: string, deviate: Deviate, check: string][] = [
  ['health of another service', where(hasCode('available'), replace('sandbox-gateway', 'other')), 'health'],
  [
    'a redirect',
    where(hasCode('available'), (answer) => {
      answer.status = 302;
      answer.headers.location = '/api/v1/health?again';
    }),
    'health',
  ],
  [
    'an unknown path in HTML',
    where(isAcrossNoOrigins(hasCode('NOT_FOUND')), (answer) => {
      set('content-type', 'text/html')(answer);
      answer.text = '<h1>Not found</h1>';
    }),
    'unknown path',
  ],
  ['a problem without its title', where(hasCode('NOT_FOUND'), replace(/"title":"[^"]*",/, '')), 'unknown path'],
  ['no Allow', where(hasCode('METHOD_NOT_ALLOWED'), drop('allow')), 'wrong method'],
  ['any origin allowed', where(isAcrossNoOrigins(always), set('access-control-allow-origin', '*')), 'foreign origin'],
  [
    'an origin allowed that is only alike',
    (answer, { headers }) => {
      const { origin } = headers;
      if (origin?.startsWith('https:')) answer.headers['access-control-allow-origin'] = origin;
    },
    'foreign origin',
  ],
  [
    'a preflight that forbids the key',
    where(({ status }) => status === 204, set('access-control-allow-headers', 'Content-Type')),
    'preflight',
  ],
  [
    'credentials allowed across origins',
    where(({ status }) => status === 404, set('access-control-allow-credentials', 'true')),
    'allowed origin',
  ],
  [
    'a header not exposed',
    where(({ status }) => status === 404, drop('access-control-expose-headers')),
    'allowed origin',
  ],
  [
    'another code for no key',
    where(
      (_, { url = '', headers }) => !url.includes('?') && headers.cookie === undefined,
      replace('MISSING_API_KEY', 'INVALID_API_KEY'),
    ),
    'no key',
  ],
  ['no challenge', where(always, drop('www-authenticate')), 'challenge'],
  [
    'an error in the challenge to no key',
    where(hasCode('MISSING_API_KEY'), set('www-authenticate', 'Bearer realm="sandbox-gateway", error="invalid_token"')),
    'challenge',
  ],
  [
    'a key read from the query string',
    where((_, { url = '' }) => url.includes('=svc_test_'), replace('MISSING_API_KEY', 'INVALID_API_KEY')),
    'key in query string',
  ],
  [
    'a key read from a cookie',
    where((_, { headers }) => headers.cookie !== undefined, answered({ status: 200 })),
    'key in cookie',
  ],
  ['malformed JSON taken', where(hasCode('INVALID_REQUEST'), answered({ status: 500 })), 'malformed JSON'],
  [
    'another code for an Idempotency-Key',
    where(hasCode('INVALID_IDEMPOTENCY_KEY'), replace('INVALID_IDEMPOTENCY_KEY', 'INVALID_REQUEST')),
    'bad Idempotency-Key',
  ],
  ['any media type taken', where(hasCode('UNSUPPORTED_MEDIA_TYPE'), answered({ status: 200 })), 'bad media type'],
  [
    'a body limit that is a little higher',
    where(
      (answer, { headers }) => hasCode('PAYLOAD_TOO_LARGE')(answer) && Number(headers['content-length']) < 16_400,
      answered({ status: 400 }),
    ),
    'body too large',
  ],
  ['a body over 6 MB taken', where(isVeryLarge, answered({ status: 200 })), 'body over 6 MB'],
  ['a further member in the ping', where(isPing, replace('{', '{"extra":1,')), 'ping'],
  ['a first success as a replay', where(isPing, set('x-service-idempotency-replayed', 'true')), 'ping'],
  ['a replay without its header', where(isReplay, drop('x-service-idempotency-replayed')), 'replay'],
  ['a replay with another message', where(isReplay, replace('ready', 'steady')), 'replay'],
  ['another status of a conflict', where(hasCode('IDEMPOTENCY_CONFLICT'), answered({ status: 422 })), 'conflict'],
  ['a connection that ends', (answer) => (hasCode('IDEMPOTENCY_CONFLICT')(answer) ? 'hangUp' : undefined), 'conflict'],
  ['no Retry-After', where(hasCode('QUOTA_EXCEEDED'), drop('retry-after')), 'exhausted quota'],
  ['a Retry-After that is too short', where(hasCode('QUOTA_EXCEEDED'), set('retry-after', '1')), 'exhausted quota'],
  ['no rate header on a replay', where(isReplay, drop('x-ratelimit-reset')), 'rate'],
  [
    'a reset in milliseconds',
    where(always, ({ headers }) => (headers['x-ratelimit-reset'] &&= `${headers['x-ratelimit-reset']}000`)),
    'rate',
  ],
  [
    'more left than there is, which falls as it should',
    where(
      always,
      ({ headers }) => (headers['x-ratelimit-remaining'] &&= String(Number(headers['x-ratelimit-remaining']) + 60)),
    ),
    'rate',
  ],
  [
    'a reset between two minutes',
    where(always, ({ headers }) => (headers['x-ratelimit-reset'] &&= String(Number(headers['x-ratelimit-reset']) - 1))),
    'rate',
  ],
  [
    'a reset that is ten minutes away',
    where(
      always,
      ({ headers }) => (headers['x-ratelimit-reset'] &&= String(Number(headers['x-ratelimit-reset']) + 600)),
    ),
    'rate',
  ],
  ['requests that do not count', where(always, ({ headers }) => (headers['x-ratelimit-remaining'] &&= '50')), 'rate'],
  ['one quota header missing', where(({ status }) => status !== 429, drop('x-service-quota-metric')), 'quota'],
  ['no quota headers on a conflict', where(hasCode('IDEMPOTENCY_CONFLICT'), drop(...QUOTA)), 'quota'],
  ['a replay that charges', where(isReplay, set('x-service-quota-remaining', '9998')), 'quota'],
  ['a success that charges nothing', where(isPing, set('x-service-quota-remaining', '10000')), 'quota'],
  [
    'a minute in the draft’s field of another number',
    where(always, ({ headers }) => (headers['ratelimit-policy'] &&= '"minute";q=61;w=60')),
    'limits of the draft',
  ],
  [
    'the rate named by a refusal of the quota',
    where(hasCode('QUOTA_EXCEEDED'), ({ headers }) => (headers.ratelimit &&= `"minute";r=9;t=9, ${headers.ratelimit}`)),
    'limits of the draft',
  ],
  [
    'ends that are not counted from one moment',
    where(isReplay, ({ headers }) => (headers.ratelimit &&= headers.ratelimit.replace(/t=(\d+)$/, 't=9$1'))),
    'limits of the draft',
  ],
  ['no fields of the draft', where(isReplay, drop('ratelimit', 'ratelimit-policy')), 'limits of the draft'],
  [
    'a problem that leads to another code',
    where(
      ({ status }) => status === 415,
      set('link', '<https://portal.example.com/docs/errors#INVALID_REQUEST>; rel="help"'),
    ),
    'help',
  ],
  [
    'a problem alone that leads to a portal',
    where(
      ({ status }) => status === 415,
      set('link', '<https://portal.example.com/docs/errors#UNSUPPORTED_MEDIA_TYPE>; rel="help"'),
    ),
    'help',
  ],
  ['no request id', where(always, drop('x-service-request-id')), 'request ids'],
  [
    'another requestId in a body',
    where(hasCode('NOT_FOUND'), replace(/(?<="requestId":")[^"]*/, OTHER_ID)),
    'request ids',
  ],
  [
    'a requestId that comes twice',
    where(
      ({ headers }) => 'www-authenticate' in headers,
      (answer) => {
        answer.headers['x-service-request-id'] = OTHER_ID;
        replace(/(?<="requestId":")[^"]*/, OTHER_ID)(answer);
      },
    ),
    'request ids',
  ],
  ['no Cache-Control on a refusal', where(({ status }) => status === 415, drop('cache-control')), 'no caching'],
];

describe('a deviation is noticed by the check that is meant for it, and by no other', () => {
  // For a landing, a third of them.
  test.each(DEVIATIONS.filter((_, nth) => IS_FULL || nth % 3 === 0))('%s', async (_what, deviate, check) => {
    const report = await deviating(deviate, async (baseUrl) =>
      runSmoke(baseUrl, { key: await newKey({ rpm: 20 }), exhaustedKey, origin: ORIGIN }),
    );
    const failed = report.checks.filter(({ status }) => status === 'fail');
    expect(failed).toEqual([{ name: check, status: 'fail', detail: expect.stringMatching(/^.*expected .*, got .*$/) }]);
    expect(report.ok).toBe(false);
  });

  test('and makes the process fail', async () => {
    const result = await smokeThrough(where(always, drop('cache-control')));
    expect([result.status, result.stderr]).toEqual([1, '']);
    expect(result.json.ok).toBe(false);
    expect(namesOf(result, 'fail')).toEqual(['no caching']);
    expect(detailOf(result, 'no caching')).toBe('health: Cache-Control: expected "no-store", got none');
  });

  test('a challenge under the name that API Gateway gives it is a note', async () => {
    const result = await smokeThrough(
      where(
        ({ headers }) => 'www-authenticate' in headers,
        ({ headers }) => {
          headers['x-amzn-remapped-www-authenticate'] = headers['www-authenticate'] ?? '';
          drop('www-authenticate')({ status: 0, headers, text: '' });
        },
      ),
    );
    expect(result.status).toBe(0);
    expect(namesOf(result, 'note')).toEqual(['challenge']);
  });

  test('a 5xx to a body that Lambda does not take is a note', async () => {
    const result = await smokeThrough(where(isVeryLarge, answered({ status: 502 })));
    expect([result.status, namesOf(result, 'note')]).toEqual([0, ['body over 6 MB']]);
  });

  test('a key that comes back is not shown', async () => {
    const result = await smokeThrough((answer, { headers }) => {
      if (hasCode('IDEMPOTENCY_CONFLICT')(answer)) {
        answer.text = JSON.stringify({ code: `${'x'.repeat(90)}${headers.authorization ?? ''}` });
      }
    });
    expect(detailOf(result, 'conflict')).toContain('svc_…');
    expectNoKey(result);
  });

  test('what is not the gateway never gets the key', async () => {
    const key = await newKey();
    const seen: string[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization ?? '');
      response.end('Welcome');
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const result = await smoke([`http://127.0.0.1:${(other.address() as AddressInfo).port}`, '--json'], key);
    other.close();
    expect(seen).toEqual(['']);
    expect(result.status).toBe(1);
    expect(detailOf(result, 'health')).toBe('Content-Type: expected "application/json", got none');
    expect(
      new Set(
        checksOf(result)
          .slice(1)
          .map(({ detail }) => detail),
      ),
    ).toEqual(new Set(['needs "health"']));
  });

  /** Runs the command against a gateway with changed answers. */
  const smokeThrough = (deviate: Deviate): Promise<CliResult> =>
    deviating(deviate, async (url) => smoke([url, '--json'], await newKey()));

  async function deviating<T>(deviate: Deviate, work: (url: string) => Promise<T>): Promise<T> {
    const server = await deviatingGateway(gateway.url, deviate);
    try {
      return await work(server.url);
    } finally {
      server.close();
    }
  }
});

describe('what cannot be run gets one clear line, a non-zero exit and an empty stdout', () => {
  const KEY = NOBODYS_KEY;
  const LIVE_KEY = unknownKey('Project00000', 'live');
  const URL = 'https://gateway.example.com';
  test.each([
    [['gateway.example.com'], '', '<url> must be a URL such as https://abc.execute-api.eu-central-1.amazonaws.com.'],
    [['ftp://gateway.example.com'], '', /^<url> must be a URL/],
    [[KEY, URL], '', /^<url> must be a URL/],
    [['https://gateway.example.com/api/v1'], '', '<url> must have no path, query or fragment.'],
    [['https://gateway.example.com/?key=x'], '', '<url> must have no path, query or fragment.'],
    [['https://gateway.example.com#'], '', '<url> must have no path, query or fragment.'],
    [['https://me:secret@gateway.example.com'], '', '<url> must not hold credentials.'],
    [
      ['http://gateway.example.com'],
      '',
      '<url> must be https, except on this machine: the key would travel unencrypted.',
    ],
    [['http://127.0.0.1.example.com'], '', /^<url> must be https/],
    [[URL, '-'], 'key', 'the key must be an API key; this one has a typing error or is cut off.'],
    [[URL], KEY.slice(0, -1), /^the key must be an API key/],
    [[URL, '-'], '', /^There is no key on stdin for the key: npm run smoke/],
    [[URL], LIVE_KEY, 'the key must be a test key: the sandbox takes no live ones.'],
    [[URL, '--exhausted-key'], `${KEY}\n${KEY.slice(1)}`, /^the exhausted key must be an API key/],
    [[URL, '--exhausted-key', '-'], KEY, /^There is no key on stdin for the exhausted key/],
    [[URL, '--origin', 'https://portal.example.com/'], '', /^--origin must be an origin such as/],
    ...[
      [URL, KEY],
      [URL, KEY.slice(0, -1)],
      [URL, '-', '--exhausted-key', KEY],
    ].map((args) => [args, KEY, /^Keys come from stdin only, .* revoke it\.$/] as [string[], string, RegExp]),
  ] as [string[], string, string | RegExp][])('%j with %j on stdin', async (args, input, message) => {
    const shell = { env: {}, stdin: Readable.from([`${input}\n`]), stdout: process.stdout, stderr: process.stderr };
    const refused = smokeProgram(shell).parseAsync(args, { from: 'user' });
    const error = await refused.catch((reason: unknown) => reason as Error);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toMatch(/\n|svc_(test|live)_|secret/);
  });

  test.each([
    [[URL, '-', KEY], /^error: too many arguments\. .*\n$/],
    [[URL, '-', `--${KEY}`], /^error: unknown option '--svc_…'\n$/],
    [[URL, KEY.slice(0, -1)], /^error: Keys come from stdin only, .*\n$/],
    [[URL, '-', '--jso'], /^error: unknown option '--jso'\n\(Did you mean --json\?\)\n$/],
    [[URL, '-', '--\u001b[2J\u009b\u202e'], /^error: unknown option '--\\u\{1b\}\[2J\\u\{9b\}\\u\{202e\}'\n$/],
  ])('%j', async (args, message) => {
    const result = await smoke(args);
    expect([result.status, result.stdout]).toEqual([1, '']);
    expect(result.stderr).toMatch(message);
    expectNoKey(result);
  });

  test('a service that does not listen', async () => {
    const baseUrl = `http://127.0.0.1:${await unusedPort()}`;
    const { status, stdout, stderr } = await smoke([baseUrl, '--json'], KEY);
    expect([status, stdout, stderr]).toEqual([1, '', 'error: The service cannot be reached (ECONNREFUSED).\n']);
  });

  test('nothing but the help for --help', async () => {
    const { status, stdout } = await smokeProcess(['--help']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Usage: smoke \[options\] <url> \[-\]\n/);
    expect(stdout).toContain('\nExamples:\n');
  });

  test('a reader that has seen enough', async () => {
    const running = run('smoke.ts', [gateway.url], {});
    running.child.stdin.write(`${await newKey()}\n`);
    running.child.stdout.destroy();
    expect([await running.exited, running.stderr]).toEqual([1, '']);
  });
});
