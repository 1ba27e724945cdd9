import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PING_PATH } from '../../functions/operations/ping.ts';
import { LOCAL_KEY_TAG_SECRET } from '../../local/settings.ts';
import { variablesOf } from '../support/door/callers.ts';
import { IS_FULL } from '../support/extent.ts';
import { httpEvent } from '../support/http.ts';
import { end, runScript, startGateway, type RunningProcess } from '../support/processes.ts';
import {
  CLOSED,
  COPY_VAULT,
  EDGE,
  OWN_ISSUER,
  PORTAL_PROD,
  PROBE_KEY,
  propertiesOf,
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
/** Runs the app of `npm run synth` for several contexts in one process, each into a folder with its name. */
function synthAll(contexts: Readonly<Record<string, Readonly<Record<string, string>>>>): RunningProcess {
  const byDirectory = Object.fromEntries(
    Object.entries(contexts).map(([folder, context]) => [join(directory, folder), context]),
  );
  return runScript(SYNTHESISE_WHOLE, [JSON.stringify(byDirectory)], environment);
}
const output = (file: string, folder = 'out'): unknown =>
  JSON.parse(readFileSync(join(directory, folder, file), 'utf8'));

/** The directory of a function's bundle. */
function bundleOf(name: 'Health' | 'Metered'): string {
  const { Resources } = output('SandboxGateway-prod.template.json') as StackTemplate;
  const [, found] =
    Object.entries(Resources).find(([id, { Type }]) => Type === 'AWS::Lambda::Function' && id.startsWith(name)) ?? [];
  const { Code } = found?.Properties as { Code: { S3Key: string } };
  return join(directory, 'out', `asset.${Code.S3Key.replace('.zip', '')}`);
}
const bundleBytes = (name: 'Health' | 'Metered') => statSync(join(bundleOf(name), 'index.mjs')).size;

/** It takes ten seconds without compiled code, and longer on a busy machine. */
const SYNTHESIS_TIMEOUT_MS = 120_000;

const everything = {
  ...{ ...PORTAL_PROD, ...EDGE, probe: 'on', probeKeySecretArn: PROBE_KEY, backupCopyVaultArn: COPY_VAULT },
  ...{ alarmEmail: 'team@example.com', monthlyBudgetUsd: '200', provisionedConcurrency: '5' },
  ...{ edgeTruststoreVersion: 'v2', warmWriteUnitsPerSecond: '20000' },
  ...{ ...CLOSED, hstsIncludeSubDomains: 'true', keepUserPool: 'true' },
};
const contexts = {
  out: PROD,
  'with everything that can be set': everything,
  'without a domain': { portal: 'on' },
  'with a provider of the team’s own': { ...PORTAL_PROD, ...OWN_ISSUER },
};
type Name = keyof typeof contexts;
/** A landing synthesises the least and the most that can be set. */
const isTried = (name: string): boolean => IS_FULL || name === 'out' || name === 'with everything that can be set';

beforeAll(async () => {
  const tried = Object.entries(contexts).filter(([name]) => isTried(name));
  const running = synthAll(Object.fromEntries(tried));
  const status = await running.exited;
  expect({ status, stderr: status === 0 ? '' : running.stderr }).toEqual({ status: 0, stderr: '' });
}, SYNTHESIS_TIMEOUT_MS);
afterAll(() => {
  rmSync(directory, { recursive: true });
});

test('a synthesis opens no connection', () => {
  expect(existsSync(connections) ? readFileSync(connections, 'utf8') : '').toBe('');
});

describe('a synthesis for production', () => {
  test('has passed the AwsSolutions rules of cdk-nag but for four findings, each accepted with a reason', () => {
    const accepted = ['SandboxGateway-prod', 'SandboxGateway-prod-data'].flatMap((name) => {
      const { Resources } = output(`${name}.template.json`) as {
        Resources: Record<string, { Metadata?: NagMetadata }>;
      };
      return Object.values(Resources).flatMap(({ Metadata }) => Metadata?.cdk_nag?.rules_to_suppress ?? []);
    });
    expect(new Set(accepted.map(({ id }) => id.replace(/\[.*/, '')))).toEqual(
      new Set(['AwsSolutions-APIG4', 'AwsSolutions-IAM4', 'AwsSolutions-IAM5', 'AwsSolutions-SMG4']),
    );
    for (const { reason } of accepted) expect(reason.length).toBeGreaterThan(50);
  });

  test('yields exactly two functions, over both stacks', () => {
    const stacks = ['SandboxGateway-prod', 'SandboxGateway-prod-data'].map(
      (name) => output(`${name}.template.json`) as StackTemplate,
    );
    expect(stacks.flatMap((template) => propertiesOf(template, 'AWS::Lambda::Function'))).toHaveLength(2);
  });
});

describe('the bundles', () => {
  test('are small: the metered one under 290 kB with logger and metrics, health under 62 kB', () => {
    expect(bundleBytes('Metered')).toBeLessThan(290_000);
    expect(bundleBytes('Health')).toBeLessThan(62_000);
  });

  test('have source maps without sources', () => {
    for (const name of ['Health', 'Metered'] as const) {
      const map = JSON.parse(readFileSync(join(bundleOf(name), 'index.mjs.map'), 'utf8')) as Record<string, unknown>;
      expect(map.sources).toContainEqual(expect.stringContaining(`functions/${name.toLowerCase()}/handler.ts`));
      expect(map).not.toHaveProperty('sourcesContent');
    }
  });

  test('serve a ping on the database that their environment names, as they are deployed, and load no undici for it', async () => {
    const gateway = await startGateway();
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
    await end(gateway);
    const response = /^response (.*)$/m.exec(running.stdout)?.[1];
    expect(JSON.parse(response ?? `"${running.stdout}${running.stderr}"`)).toMatchObject({ statusCode: 200 });
    // It takes a fifth of a cold start if `node:http` loads it (functions/node-http.ts).
    expect(running.stdout).toContain('\nundici false');
  });
});

describe('a synthesis with a portal', () => {
  test('with everything that can be set has passed the rules for the edge, too', () => {
    const folder = join(directory, 'with everything that can be set');
    const template = readFileSync(join(folder, 'SandboxGateway-prod-edge-eu-central-1.template.json'), 'utf8');
    expect(template).toContain('AwsSolutions-CFR3');
  });

  const ways: (readonly [Name, readonly string[]])[] = [
    ['without a domain', ['CFR1', 'CFR2', 'CFR4']],
    ['with everything that can be set', ['CFR1', 'CFR2']],
    ['with a provider of the team’s own', ['CFR1', 'CFR2']],
  ];
  test.each(ways.filter(([name]) => isTried(name)))(
    '%s is past the AwsSolutions rules but for findings that are accepted with a reason',
    (name, ofWeb) => {
      const context = contexts[name];
      const stack = `SandboxGateway-${'stage' in context ? context.stage : 'dev'}-portal`;
      const { Resources } = output(`${stack}.template.json`, name) as {
        Resources: Record<string, { Metadata?: NagMetadata }>;
      };
      const found = Object.values(Resources).flatMap(({ Metadata }) => Metadata?.cdk_nag?.rules_to_suppress ?? []);
      const ids = new Set(found.map(({ id }) => id.replace(/^AwsSolutions-|\[.*/g, '')));
      const ofSecret = 'oidcIssuer' in context ? [] : ['SMG4'];
      expect([...ids].sort()).toEqual(['APIG4', 'IAM4', 'IAM5', 'S1', ...ofWeb, ...ofSecret].sort());
      for (const { reason } of found) expect(reason.length).toBeGreaterThan(50);
    },
  );
});

// It starts AWS's validator again, which takes as long as the synthesis of a stage.
(IS_FULL ? test : test.skip)('a template that AWS’s own validator refuses ends the synthesis', async () => {
  const script = `
    import { readFileSync } from 'node:fs';
    import { CfnResource } from 'aws-cdk-lib';
    import { gatewayApp } from './lib/gateway-app.ts';
    const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
    const { app, data } = gatewayApp({ context: { ...context, 'aws:cdk:bundling-stacks': [] } });
    new CfnResource(data, 'Topic', { type: 'AWS::SNS::Topic', properties: { TopicNam: 'name' } });
    app.synth();`;
  const refused = runScript('--input-type=module', ['-e', script], environment);
  expect(await refused.exited).not.toBe(0);
  expect(refused.stderr).toContain("'TopicNam' was unexpected");
});

test('a setting that cannot be used ends the synthesis with a line that names it, and no stack trace', async () => {
  const refused = synthAll({ refused: { stage: 'prod' } });
  expect(await refused.exited).not.toBe(0);
  expect(refused.stderr).toContain(
    'portalDomainName must be set in prod, for a portal that this app deploys, or portalOrigin for another one.\n',
  );
  expect(refused.stderr).not.toMatch(/^ +at /m);
});
