import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { runProgram } from '../../bin/admin/command-line.ts';
import { rehearseProgram } from '../../bin/rehearse/program.ts';
import { runIn, type Ended } from '../../bin/rehearse/run.ts';
import type { Places } from '../../bin/rehearse/stage.ts';
import { inShell } from '../support/admin.ts';
import { unknownKey } from '../support/keys.ts';
import { scriptedServer } from '../support/scripted-server.ts';

const PROJECT = '9nyeSBRpuWBS';
const KEY = unknownKey(PROJECT);
const HOST = 'abc.execute-api.example.com';
const MOMENT = Date.parse('2026-11-21T08:00:00.700Z');

let server: Awaited<ReturnType<typeof scriptedServer>>;
beforeAll(async () => {
  server = await scriptedServer({ status: 200, body: { ok: true } });
});
afterAll(() => server.close());

/** The commands that ran, one line each, with their stdin. */
let ran: { readonly line: string; readonly input: string | undefined }[];
/** The results of programs, by the beginning of their line; other programs succeed and print nothing. */
let answers: Map<string, Partial<Ended>>;
let liveVersion: number;
beforeEach(() => {
  server.requests.length = 0;
  const printed = (stdout: string) => ({ stdout, output: stdout });
  answers = new Map([
    ['bin/admin.ts account create', printed('{"accountId":"acc_1"}')],
    ['bin/admin.ts project create', printed(`{"projectId":"${PROJECT}"}`)],
    ['bin/admin.ts key create', printed(JSON.stringify({ key: KEY }))],
    ['bin/admin.ts ledger verify', printed('{"consistent":true}')],
    ['bin/smoke.ts', printed('ok    all\n\nPASSED: 21 ok.\n')],
    [
      'bin/restore.ts',
      printed("  restoredGatewayTable: 'G-1',\n  restoredUsageTable: 'U-1',\n  restoredGatewayStreamArn: 'S-1',\n"),
    ],
  ]);
});

const run = (command: string, args: readonly string[], input?: string): Promise<Ended> => {
  const line = [command, ...args].join(' ');
  ran.push({ line, input });
  if (command === 'bin/deploy.ts') liveVersion++;
  if (line === 'bin/rollback.ts --stage dev --yes') liveVersion--;
  const listed = line.endsWith('--list')
    ? { stdout: `VERSION  DEPLOYED  REQUESTS\n${liveVersion}  today  100 %\n` }
    : {};
  const answer = [...answers].find(([beginning]) => line.startsWith(beginning))?.[1];
  return Promise.resolve({ status: 0, stdout: '', output: '', ...listed, ...answer });
};

const PLACES: Places = {
  where: () => Promise.resolve('account 123456789012, eu-central-1'),
  stacks: () => Promise.resolve([]),
  isBootstrapped: () => Promise.resolve(false),
  output: () => Promise.resolve(`https://${HOST}`),
  portalUrl: () => Promise.resolve('https://portal.example.com'),
  restorableUntilMs: () => Promise.resolve(MOMENT + 60_000),
  kept: () => Promise.resolve(['Gateway', 'Usage']),
};

interface Given {
  readonly args?: string[];
  readonly places?: Partial<Places>;
  readonly typed?: string;
}

/** Rehearses at an endpoint, with programs that do nothing and take a second each. */
async function rehearse({ args = ['--endpoint', server.url], places = {}, typed }: Given = {}) {
  [ran, liveVersion] = [[], 0];
  let nowMs = MOMENT;
  const slept: number[] = [];
  const tools = {
    ...{ run, places: { ...PLACES, ...places } },
    now: () => (nowMs += 1_000),
    sleep: (ms: number) => Promise.resolve(slept.push(ms)),
  };
  const result = await inShell(
    'bin/rehearse.ts',
    (given, shell) => runProgram(rehearseProgram(shell, tools), given, shell),
    args,
    {},
    false,
    typed === undefined ? {} : { typed },
  );
  const rows = result.stdout.split('\n').map((line) => line.trimEnd().replaceAll(/ {2,}/g, ' | '));
  return { ...result, rows, slept, lines: ran.map(({ line }) => line) };
}

describe('a rehearsal at an endpoint', () => {
  test('tells how each step ended, in one table', async () => {
    const { status, stderr, rows } = await rehearse();
    expect([status, stderr]).toEqual([0, '']);
    expect(rows).toEqual([
      `Rehearsing in account 123456789012, eu-central-1, at ${server.url}`,
      '',
      'RESULT | STEP | SECONDS | FOUND',
      'ok | bootstrap | 1 | made',
      `ok | deploy | 1 | https://${HOST}`,
      `ok | account to key | 1 | project ${PROJECT}`,
      'ok | ping | 1 | 200, and the ledger agrees',
      'ok | smoke | 1 | PASSED: 21 ok.',
      'skipped | portal | an endpoint need not serve pages; --portal-url says where it does',
      'ok | deploy a change | 2 | version 2 is live',
      'ok | smoke of the change | 1 | PASSED: 21 ok.',
      'ok | rollback --list | 1 | version 2 is live',
      'ok | rollback | 1 | version 1 is live',
      'ok | deploy again | 1 | version 2 is live',
      'ok | smoke after that | 1 | PASSED: 21 ok.',
      'ok | restore | 1 | to 2026-11-21T08:00:15Z: the key of before pings, and the ledger agrees',
      'ok | destroy | 1 | what stays: Gateway, Usage',
      '',
      'PASSED: 13 ok, 0 failed, 1 skipped, in 30 s.',
      '',
    ]);
  });

  test('is made by the project’s own programs, and each deployment is distinguished from a team’s own stage', async () => {
    const { lines } = await rehearse();
    const deployment = (note: string, more = '') =>
      `bin/deploy.ts -c stage=dev -c portal=on -c replaceInstances=${note}${more} --require-approval never --tags sandbox-gateway:rehearsal=true --method direct`;
    const restore = 'bin/restore.ts --stage dev --to 2026-11-21T08:00:15Z --yes';
    const smoke = expect.stringMatching(/^bin\/smoke\.ts http:\/\/127\.0\.0\.1:\d+$/);
    expect(lines.filter((line) => !/admin\.ts|--list$/.test(line))).toEqual([
      ...['cdk bootstrap', deployment('first'), smoke, deployment('second'), smoke],
      ...['bin/rollback.ts --stage dev --yes', deployment('third'), smoke, restore],
      ...[
        deployment('third', ' -c restoredGatewayTable=G-1 -c restoredUsageTable=U-1 -c restoredGatewayStreamArn=S-1'),
        restore,
      ],
      'cdk destroy -c stage=dev -c portal=on --all --force',
    ]);
  });

  test('asks the gateway at the endpoint, under the gateway’s own name', async () => {
    await rehearse();
    expect(server.requests).toHaveLength(2);
    for (const { headers, body } of server.requests) {
      expect([headers.host, headers.authorization, body]).toEqual([HOST, `Bearer ${KEY}`, '{}']);
    }
  });

  test('gives the key to the smoke test by its stdin alone, and shows it nowhere', async () => {
    answers.set('bin/smoke.ts', { status: 1, output: `FAIL  ping  ${KEY}\n` });
    const { stdout, stderr, lines } = await rehearse();
    expect(ran.filter(({ input }) => input === `${KEY}\n`)).toHaveLength(3);
    for (const text of [stdout, stderr, ...lines]) expect(text).not.toContain(KEY);
  });
});

describe('a step that fails', () => {
  test('is shown with its last lines and what to do; what needs it is skipped, and the stage is deleted', async () => {
    const output = `${Array.from({ length: 20 }, (_, i) => `line ${i}`).join('\n')}\n\nerror: \u001b[31mno\n`;
    answers.set('bin/admin.ts key create', { status: 1, output });
    const { status, rows, lines } = await rehearse();
    expect(status).toBe(1);
    const at = rows.indexOf('failed | account to key | 1 | exit status 1');
    expect(rows.slice(at + 1, at + 14)).toEqual([
      ...Array.from({ length: 11 }, (_, i) => ` | line ${i + 9}`),
      ' | error: \\u{1b}[31mno',
      ' | Next: npm run admin -- policy --stage dev --for cli prints what it needs.',
    ]);
    expect(rows.slice(at + 14)).toEqual([
      'skipped | ping | needs "account to key"',
      'skipped | smoke | needs "ping"',
      'skipped | portal | an endpoint need not serve pages; --portal-url says where it does',
      'ok | deploy a change | 2 | version 2 is live',
      'skipped | smoke of the change | needs "ping"',
      ...['ok | rollback --list | 1 | version 2 is live', 'ok | rollback | 1 | version 1 is live'],
      'ok | deploy again | 1 | version 2 is live',
      'skipped | smoke after that | needs "ping"',
      'skipped | restore | needs "smoke after that"',
      'ok | destroy | 1 | what stays: Gateway, Usage',
      ...['', expect.stringMatching(/^FAILED: 7 ok, 1 failed, 6 skipped, in \d+ s\.$/), ''],
    ]);
    expect(lines.at(-1)).toMatch(/^cdk destroy /);
  });

  test('each names what to do next', async () => {
    for (const program of ['cdk bootstrap', 'bin/deploy.ts', 'bin/rollback.ts', 'bin/restore.ts', 'cdk destroy']) {
      answers.set(program, { status: 1 });
      const { status, rows } = await rehearse();
      const failed = rows.findIndex((row) => row.startsWith('failed'));
      expect([status, rows[failed + 1]]).toEqual([1, expect.stringMatching(/^ \| Next: .+\.$/)]);
      answers.delete(program);
    }
  });

  test('a ping that is not answered as it should be', async () => {
    const refusing = await scriptedServer({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
    const { rows } = await rehearse({ args: ['--endpoint', refusing.url] });
    refusing.close();
    expect(rows).toContain('failed | ping | 1 | status 503');
    expect(rows).toContain(' | {"code":"SERVICE_UNAVAILABLE"}');
  });
});

describe('what is there already', () => {
  test('of an interrupted rehearsal is deleted first', async () => {
    const stacks = () => Promise.resolve([{ name: 'SandboxGateway-dev', isOurs: true }]);
    const { status, rows, lines } = await rehearse({ places: { stacks, isBootstrapped: () => Promise.resolve(true) } });
    expect([status, lines[0]]).toEqual([0, 'cdk destroy -c stage=dev -c portal=on --all --force']);
    expect(rows.slice(3, 5)).toEqual([
      'ok | clean up | 1 | what an earlier rehearsal left',
      'ok | bootstrap | 1 | there already',
    ]);
    answers.set('cdk destroy', { status: 1 });
    const stuck = await rehearse({ places: { stacks } });
    expect([stuck.status, stuck.lines]).toEqual([1, [lines[0]]]);
  });

  test('of a team is left alone: it ends in a line, and runs nothing', async () => {
    const stacks = () => Promise.resolve([{ name: 'SandboxGateway-dev-data', isOurs: false }]);
    const { status, stderr, lines } = await rehearse({ places: { stacks } });
    expect([status, lines]).toEqual([1, []]);
    expect(stderr).toMatch(/^error: There is a stack SandboxGateway-dev-data in account 123456789012, [^\n]+\n$/);
  });
});

describe('on AWS', () => {
  test('it asks a person first, with account and region', async () => {
    const no = await rehearse({ args: [], typed: 'n\n' });
    expect([no.status, no.lines]).toEqual([1, []]);
    expect(no.stderr).toContain('in account 123456789012, eu-central-1, and delete it at the end? [y/N]');
    const far = await rehearse({ args: ['--endpoint', 'https://cloud.example.com'], typed: 'n\n' });
    expect([far.status, far.lines]).toEqual([1, []]);
  });

  test('without a terminal it takes --yes', async () => {
    const { status, stderr, lines } = await rehearse({ args: [] });
    expect([status, lines]).toEqual([1, []]);
    expect(stderr).toMatch(
      /^error: Without a terminal it takes --yes to make and delete a stage in account 123456789012/,
    );
  });

  test('it deploys by change sets, looks at the portal, and keeps the stage when that is asked for', async () => {
    answers.set('bin/admin.ts key create', { status: 1 });
    const { rows, lines } = await rehearse({ args: ['--yes', '--keep'] });
    expect(lines.find((line) => line.startsWith('bin/deploy.ts'))).not.toContain('--method');
    expect(lines).toContain('bin/smoke.ts --portal https://portal.example.com');
    expect(rows).toContain('skipped | destroy | --keep');
    expect(lines.join()).not.toContain('destroy');
  });
});

describe('the restore', () => {
  test('waits until the tables can be restored to the moment, and not for ever', async () => {
    let looks = 0;
    const late = () => Promise.resolve(++looks < 3 ? MOMENT : MOMENT + 60_000);
    const { rows, slept } = await rehearse({ places: { restorableUntilMs: late } });
    expect([slept, rows.join()]).toEqual([[20_000, 20_000], expect.stringContaining('ok | restore')]);
    const never = await rehearse({ places: { restorableUntilMs: () => Promise.resolve(MOMENT) } });
    expect(never.slept).toHaveLength(45);
    expect(never.rows.join()).toContain('the tables can still not be restored to 2026-11-21T08:00:15Z');
  });

  test('is left out where an endpoint has none', async () => {
    const { status, rows } = await rehearse({ places: { restorableUntilMs: () => Promise.resolve(undefined) } });
    expect(status).toBe(0);
    expect(rows).toContain('skipped | restore | the endpoint has no point-in-time recovery');
  });
});

test('programs run in the environment of the rehearsal, with what they are given, and all they print is kept', async () => {
  const program =
    'process.stdin.pipe(process.stdout); console.error(process.env.AWS_ENDPOINT_URL); process.exitCode = 3';
  const ended = await runIn({ AWS_ENDPOINT_URL: server.url })(process.execPath, ['-e', program], 'given');
  expect(ended).toMatchObject({ status: 3, stdout: 'given' });
  expect(ended.output).toContain(`${server.url}\n`);
});

test.each([
  [['--endpoint', 'ftp://x'], "option '--endpoint <url>' argument 'ftp://x' is invalid"],
  [['--endpoint', 'http://127.0.0.1:4566/path'], 'Give a URL such as http://127.0.0.1:4566, without a path.'],
])('wrong usage is told: %j', async (args, message) => {
  const { status, stderr, lines } = await rehearse({ args });
  expect([status, stderr, lines]).toEqual([1, expect.stringContaining(message), []]);
});
