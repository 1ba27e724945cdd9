import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PING_PATH } from '../../functions/gateway/operations/ping.ts';
import { ROUTES } from '../../functions/gateway/operations/index.ts';
import { LOCAL_KEY_TAG_SECRET } from '../../local/settings.ts';
import { variablesOf } from '../support/iam-proxy/callers.ts';
import { IS_FULL } from '../support/extent.ts';
import { httpEvent } from '../support/http.ts';
import { runScript, type RunningProcess } from '../support/processes.ts';
import { shared } from '../support/shared/client.ts';
import type { SharedGateway } from '../support/shared/things.ts';
import {
  COPY_VAULT,
  EDGE,
  OWN_ISSUER,
  PROBE_KEY,
  propertiesOf,
  PORTAL_DOMAIN,
  PROD,
  type StackTemplate,
} from '../support/stack.ts';

interface NagMetadata {
  readonly cdk_nag?: { readonly rules_to_suppress: readonly { readonly id: string; readonly reason: string }[] };
}

const directory = mkdtempSync(join(tmpdir(), 'synth-'));
const connections = join(directory, 'connections');
const PRELOAD = resolve('test/support/no-network.mjs');
const SYNTHESISE_WHOLE = fileURLToPath(new URL('../support/synthesise-whole.ts', import.meta.url));

const environment = {
  // The CDK finds the app's program by name.
  PATH: `${resolve('node_modules/.bin')}:${process.env.PATH ?? ''}`,
  NODE_OPTIONS: `--import ${PRELOAD}`,
  CONNECTIONS_FILE: connections,
};
const output = (file: string, folder = 'out'): unknown =>
  JSON.parse(readFileSync(join(directory, folder, file), 'utf8'));

/** The directory of a function's bundle. */
function bundleOf(name: 'Health' | 'Metered'): string {
  const { Resources } = output('SandboxGateway-shop.template.json') as StackTemplate;
  const [, found] =
    Object.entries(Resources).find(
      ([id, { Type }]) => Type === 'AWS::Lambda::Function' && id.includes(`${name}Function`),
    ) ?? [];
  const { Code } = found?.Properties as { Code: { S3Key: string } };
  return join(directory, 'out', `asset.${Code.S3Key.replace('.zip', '')}`);
}
const bundleBytes = (name: 'Health' | 'Metered') => statSync(join(bundleOf(name), 'index.mjs')).size;

/** It takes ten seconds without compiled code, and longer on a busy machine. */
const SYNTHESIS_TIMEOUT_MS = 120_000;

const everything = {
  ...PROD,
  ...PORTAL_DOMAIN,
  ...EDGE,
  probe: 'on',
  probeKeySecretArn: PROBE_KEY,
  backupCopyVaultArn: COPY_VAULT,
  alarmEmail: 'team@example.com',
  monthlyBudgetUsd: '200',
  provisionedConcurrency: '5',
  tracing: 'on',
  concurrencyQuota: '1000',
};
const contexts = {
  out: PROD,
  'with everything that can be set': everything,
  'with a provider of the team’s own': { ...PROD, ...OWN_ISSUER },
};
/** The app of `npm run synth`. */
const APP = 'bin/cdk-app.ts';
let running: RunningProcess;
type Name = keyof typeof contexts;
/** A landing synthesises the least and the most that can be set. */
const isTried = (name: string): boolean => IS_FULL || name === 'out' || name === 'with everything that can be set';

beforeAll(async () => {
  const tried = Object.entries(contexts).filter(([name]) => isTried(name));
  const apps = {
    ...Object.fromEntries(tried.map(([name, context]) => [join(directory, name), { app: APP, context }])),
    [join(directory, 'example')]: { app: 'examples/cdk/app.ts', context: {} },
    [join(directory, 'refused')]: { app: APP, context: { stage: 'Prod' } },
  };
  running = runScript(SYNTHESISE_WHOLE, [JSON.stringify(apps)], environment);
  const status = await running.exited;
  expect({ status, stderr: status === 0 ? '' : running.stderr }).toEqual({ status: 0, stderr: '' });
}, SYNTHESIS_TIMEOUT_MS);
afterAll(() => {
  rmSync(directory, { recursive: true });
});

test('a synthesis opens no connection', () => {
  expect(existsSync(connections) ? readFileSync(connections, 'utf8') : '').toBe('');
});

/** The rules of cdk-nag whose findings are accepted in the templates of a folder, without their details. */
function accepted(folder: Name) {
  const files = readdirSync(join(directory, folder)).filter((name) => name.endsWith('.template.json'));
  const suppressed = files.flatMap((file) => {
    const { Resources } = output(file, folder) as { Resources: Record<string, { Metadata?: NagMetadata }> };
    return Object.values(Resources).flatMap(({ Metadata }) => Metadata?.cdk_nag?.rules_to_suppress ?? []);
  });
  for (const { reason } of suppressed) expect(reason.length).toBeGreaterThan(50);
  return [...new Set(suppressed.map(({ id }) => id.replace(/^AwsSolutions-|\[.*/g, '')))].sort();
}

const ways: (readonly [Name, readonly string[]])[] = [
  ['out', ['APIG4', 'CFR1', 'CFR2', 'CFR4', 'COG2', 'COG8', 'IAM4', 'IAM5', 'L1', 'S1', 'SMG4']],
  [
    'with everything that can be set',
    ['APIG4', 'CFR1', 'CFR2', 'CFR3', 'COG2', 'COG8', 'IAM4', 'IAM5', 'L1', 'S1', 'SMG4'],
  ],
  [
    'with a provider of the team’s own',
    ['APIG4', 'CFR1', 'CFR2', 'CFR4', 'COG2', 'COG8', 'IAM4', 'IAM5', 'L1', 'S1', 'SMG4'],
  ],
];
test.each(ways.filter(([name]) => isTried(name)))(
  'a synthesis (%s) has passed the AwsSolutions rules of cdk-nag but for findings that are accepted with a reason',
  (name, rules) => {
    expect(accepted(name)).toEqual(rules);
  },
);

describe('the bundles', () => {
  test('are small: health under 63 kB; the bound of the metered one is beside its build', () => {
    expect(bundleBytes('Health')).toBeLessThan(63_000);
  });

  test('have source maps without sources', () => {
    for (const name of ['Health', 'Metered'] as const) {
      const map = JSON.parse(readFileSync(join(bundleOf(name), 'index.mjs.map'), 'utf8')) as Record<string, unknown>;
      expect(map.sources).toContainEqual(expect.stringContaining(`functions/gateway/${name.toLowerCase()}.ts`));
      expect(map).not.toHaveProperty('sourcesContent');
    }
  });

  test('serve a ping on the database that their environment names, as they are deployed, and load no undici for it', async () => {
    const gateway = await shared<SharedGateway>('gateway');
    const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' };
    const event = httpEvent({ method: 'POST', path: PING_PATH, headers });
    const script = `const { handler } = await import(${JSON.stringify(join(bundleOf('Metered'), 'index.mjs'))});
      const response = await handler(${JSON.stringify(event)}, {});
      process.stdout.write('\\nresponse ' + JSON.stringify(response));
      process.stdout.write('\\nundici ' + process.moduleLoadList.some((name) => name.includes('undici')));`;
    const running = runScript('--input-type=module', ['-e', script], {
      AWS_ENDPOINT_URL_DYNAMODB: gateway.databaseUrl,
      ...variablesOf('metered'),
      GATEWAY_TABLE: 'Gateway',
      USAGE_TABLE: 'Usage',
      STAGE: 'prod',
      KEY_TAG_SECRETS: LOCAL_KEY_TAG_SECRET,
    });
    await running.exited;
    const response = /^response (.*)$/m.exec(running.stdout)?.[1];
    expect(JSON.parse(response ?? `"${running.stdout}${running.stderr}"`)).toMatchObject({ statusCode: 200 });
    // It takes a fifth of a cold start if `node:http` loads it (functions/shared/node-http.ts).
    expect(running.stdout).toContain('\nundici false');
  });
});

test('the example app is a gateway in a stack of its own, with tables, secret and address', () => {
  const template = output('MyGateway.template.json', 'example') as StackTemplate;
  const count = (type: string) => propertiesOf(template, type).length;
  expect([count('AWS::DynamoDB::GlobalTable'), count('AWS::Lambda::Function')]).toEqual([2, 2]);
  expect([count('AWS::ApiGatewayV2::Api'), count('AWS::ApiGatewayV2::Route')]).toEqual([1, ROUTES.length + 1]);
});

// It starts AWS's validator again, which takes as long as the synthesis of a stage.
(IS_FULL ? test : test.skip)('a template that AWS’s own validator refuses ends the synthesis', async () => {
  const script = `
    import { readFileSync } from 'node:fs';
    import { CfnResource } from 'aws-cdk-lib';
    import { gatewayApp } from './lib/gateway-app.ts';
    const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
    const { app, data } = gatewayApp({ pagesDirectory: 'portal/docs', context: { ...context, 'aws:cdk:bundling-stacks': [] } });
    new CfnResource(data, 'Topic', { type: 'AWS::SNS::Topic', properties: { TopicNam: 'name' } });
    app.synth();`;
  const refused = runScript('--input-type=module', ['-e', script], environment);
  expect(await refused.exited).not.toBe(0);
  expect(refused.stderr).toContain("'TopicNam' was unexpected");
});

test('a setting that cannot be used ends the synthesis with a line that names it, and no stack trace', () => {
  expect(running.stdout).toContain(`${join(directory, 'refused')} ended with 1\n`);
  expect(running.stderr).toContain('stage must be up to 16 lower-case letters and digits, a letter first.\n');
  expect(running.stderr).not.toMatch(/^ +at /m);
});
