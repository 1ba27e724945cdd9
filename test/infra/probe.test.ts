import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { compileFunction } from 'node:vm';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { afterEach, describe, expect, test } from '@jest/globals';
import { PROBE_KEY, propertiesOf, resourcesOf, stages } from '../support/stack.ts';

const CANARY = 'AWS::Synthetics::Canary';
const { prod, watched, full: probed } = await stages();
interface Canary {
  readonly Code: { readonly Script: string };
  readonly RunConfig: { readonly EnvironmentVariables: Readonly<Record<string, unknown>> };
}
const canaryOf = ({ gateway }: typeof prod) => propertiesOf<Canary>(gateway, CANARY)[0];

describe('the probe', () => {
  test('is absent unless it is set, and no function of the gateway', () => {
    expect(resourcesOf(prod.gateway, CANARY)).toEqual([]);
    expect(resourcesOf(prod.gateway, 'AWS::S3::Bucket')).toEqual([]);
    expect(prod.gateway.Outputs).not.toHaveProperty('ProbeName');
    expect(resourcesOf(probed.gateway, 'AWS::Lambda::Function')).toHaveLength(2);
  });

  test('may read the secret of its key from its first run on, and no other', () => {
    const policies = ({ gateway }: typeof prod) =>
      resourcesOf(gateway, 'AWS::IAM::Policy').filter(([id]) => id.includes('Probe'));
    const [[id, policy] = [''], ...others] = policies(probed);
    expect(policy?.Properties).toMatchObject({
      PolicyDocument: { Statement: [{ Action: 'secretsmanager:GetSecretValue', Resource: PROBE_KEY }] },
    });
    expect(resourcesOf(probed.gateway, CANARY)[0]?.[1].DependsOn).toContain(id);
    expect([...others, ...policies(watched)]).toEqual([]);
  });

  test('knows the portal of the stage, and where its key is, never the key', () => {
    const of = (stage: typeof prod) => canaryOf(stage)?.RunConfig.EnvironmentVariables;
    expect(of(probed)).toMatchObject({ KEY_SECRET_ARN: PROBE_KEY, PORTAL_ORIGIN: 'https://portal.example.com' });
    expect(of(watched)).toMatchObject({ KEY_SECRET_ARN: '' });
  });
});

describe('a run of the probe', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.close();
  });

  type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => void;
  /** Runs the deployed script against a server with these answers, and returns what Synthetics would see. */
  async function run(answer: Answer, stage = probed, ofPortal?: Answer) {
    const requests: string[] = [];
    server = createServer((request, response) => {
      requests.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`.trim());
      const isOfApi = request.url?.startsWith('/api/v1/') === true;
      (isOfApi ? answer : (ofPortal ?? answer))(request, response, requests.length);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { Code, RunConfig } = canaryOf(stage) ?? {};
    const env = {
      ...RunConfig?.EnvironmentVariables,
      API_URL: origin,
      PORTAL_ORIGIN: ofPortal ? origin : '',
    };
    const steps: unknown[] = [];
    const failedSteps: unknown[] = [];
    const modules: Record<string, unknown> = {
      '@aws/synthetics-core': {
        synthetics: {
          executeStep: async (name: string, work: () => Promise<void>) => {
            steps.push(name);
            try {
              await work();
            } catch (error) {
              failedSteps.push(name);
              throw error;
            }
          },
        },
      },
      '@aws-sdk/client-secrets-manager': {
        GetSecretValueCommand,
        SecretsManagerClient: class {
          send = ({ input }: GetSecretValueCommand) =>
            Promise.resolve({ SecretString: `key of ${input.SecretId ?? ''}\n` });
        },
      },
    };
    const exports: { handler?: () => Promise<void> } = {};
    // A CommonJS module, as Synthetics loads it.
    const load = compileFunction(Code?.Script ?? '', ['require', 'exports', 'process']) as (
      ...scope: unknown[]
    ) => void;
    load((name: string) => modules[name], exports, { env });
    const error = await exports.handler?.().then(
      () => undefined,
      (thrown: unknown) => (thrown as Error).message,
    );
    return { requests, steps, failedSteps, error };
  }

  const ok: Answer = (_request, response) => response.writeHead(200, { 'X-Service-Request-Id': 'req_1' }).end('{}');
  const failing =
    (status: number, headers: Record<string, string>): Answer =>
    (request, response, count) => {
      if (count === 8) response.writeHead(status, headers).end();
      else ok(request, response, count);
    };

  const twenty = (...requests: string[]) => Array.from({ length: 20 }, () => requests).flat();
  test('asks for the health and pings with its key, twenty times each, and succeeds when all is 200', async () => {
    const ping = `POST /api/v1/sandbox/ping Bearer key of ${PROBE_KEY}`;
    expect(await run(ok)).toEqual({
      requests: twenty('GET /api/v1/health', ping),
      // First the step that causes a rollback: a failed step may affect later ones.
      steps: ['our-answers', 'every-answer'],
      failedSteps: [],
      error: undefined,
    });
  });

  test('without a key asks for the health only', async () => {
    expect(await run(ok, watched)).toEqual({
      requests: twenty('GET /api/v1/health'),
      steps: ['our-answers', 'every-answer'],
      failedSteps: [],
      error: undefined,
    });
  });

  test.each([500, 503, 401, 404])(
    'fails, and with it the step that rolls back, on one answer %s of ours',
    async (status) => {
      const { failedSteps, error } = await run(failing(status, { 'X-Service-Request-Id': 'req_8' }));
      expect(failedSteps).toEqual(['our-answers', 'every-answer']);
      expect(error).toContain(`POST /api/v1/sandbox/ping: ${status}, req_8`);
    },
  );

  test.each([429, 503])(
    'fails, but rolls nothing back, on a %s of API Gateway, which a flood can cause',
    async (status) => {
      const { failedSteps, error } = await run(failing(status, {}));
      expect(failedSteps).toEqual(['every-answer']);
      expect(error).toContain('1 of 40 failed.');
    },
  );

  test('fails, but rolls nothing back, when there is no answer at all, does not go on to ask, and says nothing of its key', async () => {
    const { requests, failedSteps, error } = await run((request) => request.socket.destroy());
    expect(requests).toHaveLength(2);
    expect(failedSteps).toEqual(['every-answer']);
    expect(error).toContain('2 of 2 failed.');
    expect(error).not.toContain('key of');
  });

  const PAGE =
    '<script src="/assets/theme-1.js"></script><link href="/assets/app-2.css"><script src="/assets/app-3.js"></script>';
  /** The portal's answers without a session, except for one path. */
  const portalBut =
    (changed?: string, status = 503, headers: Record<string, string> = {}, body = ''): Answer =>
    ({ url = '' }, response) => {
      if (url === changed) response.writeHead(status, headers).end(body);
      else if (url === '/') response.writeHead(200).end(PAGE);
      else if (url === '/api/session') response.writeHead(401, { 'X-Service-Request-Id': 'req_p' }).end('{}');
      else response.writeHead(/^\/assets\/(theme-1\.js|app-2\.css|app-3\.js)$/.test(url) ? 200 : 404).end();
    };

  test('asks the portal for what a browser asks first: the page, each file that it names, and who is signed in; none of it with its key', async () => {
    const { requests, ...outcome } = await run(ok, probed, portalBut());
    expect(requests.slice(40).sort()).toEqual([
      ...['GET /', 'GET /api/session', 'GET /assets/app-2.css', 'GET /assets/app-3.js', 'GET /assets/theme-1.js'],
    ]);
    expect(outcome).toEqual({ steps: ['our-answers', 'every-answer', 'portal'], failedSteps: [], error: undefined });
  });

  test.each([
    ['no page', portalBut('/'), 'GET /: 503'],
    ['a page of somebody else', portalBut('/', 200, {}, '<p>Parked</p>'), 'GET /: 200, no file of the app'],
    ['a file of the page missing', portalBut('/assets/app-3.js', 404), 'GET /assets/app-3.js: 404'],
    [
      'a failing API',
      portalBut('/api/session', 500, { 'X-Service-Request-Id': 'req_p' }),
      'GET /api/session: 500, req_p',
    ],
    ['a 401 that is not the function’s', portalBut('/api/session', 401), 'GET /api/session: 401'],
    ['a page in place of the API', portalBut('/api/session', 200, {}, PAGE), 'GET /api/session: 200'],
  ])(
    'fails on %s of the portal in its own step: neither the gateway’s nor the one that rolls back',
    async (_what, portal, text) => {
      const { failedSteps, error } = await run(ok, probed, portal);
      expect(failedSteps).toEqual(['portal']);
      expect(error).toContain(text);
    },
  );
});
