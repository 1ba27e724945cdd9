import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import {
  GetCommand,
  BatchGetCommand,
  DynamoDBDocumentClient,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import type { Context, SQSRecord } from 'aws-lambda';
import { newSession } from '../../functions/accounts/people/sessions.ts';
import { TEST_TYPE } from '../../functions/shared/notice-type.ts';
import { PING_PATH } from '../../functions/gateway/operations/ping.ts';
import { reportDifference } from '../../functions/portal/routes/ledger.ts';
import {
  GATEWAY_QUERIES,
  NOTICES_QUERIES,
  PORTAL_QUERIES,
  type SavedQuery,
} from '../../lib/monitoring/saved-queries.ts';
import { LOCAL_KEY_TAG_SECRET, LOCAL_KEY_TAG_SECRETS } from '../../local/settings.ts';
import { httpEvent, invoke } from '../support/http.ts';
import { unknownKey } from '../support/keys.ts';
import { logMail } from '../../functions/notices/mail/mail-line.ts';
import { recordOf } from '../support/notices.ts';
import { captureLines } from '../support/secrets/lines.ts';
import { propertiesOf, stages, type StackTemplate } from '../support/stack.ts';

const { prod } = await stages();

type Line = Readonly<Record<string, unknown>>;
/** Lambda's report of an execution (AWS Lambda developer guide, "Lambda Telemetry API Event schema reference"). */
const PLATFORM: Line = {
  type: 'platform.report',
  record: { requestId: 'r', status: 'timeout', errorType: 'x', metrics: { durationMs: 1, maxMemoryUsedMB: 1 } },
};
/** The lines that Lambda keeps at WARN: those with a status other than `success`. */
const KEPT_OF_PLATFORM = /type like \/\^platform\/ and ispresent\(record\.status\) and record\.status != "success"/;
const written: Record<'gateway' | 'portal' | 'notices', Line[]> = {
  gateway: [PLATFORM],
  portal: [PLATFORM],
  notices: [PLATFORM],
};

const earlier = { ...process.env };
const captured = captureLines();
const store = mockClient(DynamoDBDocumentClient);
// Other files of this worker use the same class (test/support/environment.mjs).
afterAll(() => store.restore());
const away = new DynamoDBServiceException({
  name: 'InternalServerError',
  $fault: 'server',
  $metadata: {},
  message: 'x',
});

/** The log lines of a function for a request, without metrics. */
async function linesOf(request: () => Promise<unknown>): Promise<Line[]> {
  captured.lines.length = 0;
  await request();
  return captured.lines.map((text) => JSON.parse(text) as Line).filter((line) => !('_aws' in line));
}

beforeAll(async () => {
  Object.assign(process.env, {
    GATEWAY_TABLE: 'Gateway',
    USAGE_TABLE: 'Usage',
    AWS_REGION: 'us-east-1',
    STAGE: 'prod',
    KEY_TAG_SECRETS: LOCAL_KEY_TAG_SECRET,
    PORTAL_ORIGIN: 'https://portal.example.com',
    GATEWAY_URL: 'https://api.example.com',
    QUOTA_PERIOD: 'month',
    POWERTOOLS_LOG_LEVEL: 'INFO',
    MAIL_QUEUE_URL: 'https://sqs.example.com/mail',
    WEBHOOK_QUEUE_URL: 'https://sqs.example.com/webhooks',
    DAILY_QUEUE_URL: 'https://sqs.example.com/daily',
    OIDC_ISSUER: 'http://127.0.0.1:1/',
    OIDC_CLIENT_ID: 'portal',
    OIDC_CLIENT_SECRET: 'of-nobody',
  });
  store.rejects(away);
  const { handler: ping } = await import('../../functions/gateway/metered.ts');
  const { handler: portal } = await import('../../functions/portal/handler.ts');
  const { portalTelemetry } = await import('../../functions/portal/runtime.ts');
  const headers = { authorization: `Bearer ${unknownKey('Project00001')}`, 'content-type': 'application/json' };
  const sent = (body: string) => () => invoke(ping, httpEvent({ method: 'POST', path: PING_PATH, headers, body }));

  store.reset();
  store.on(UpdateCommand).resolves({ Attributes: { keyId: 'key_1', rpm: 60 } });
  store
    .on(BatchGetCommand)
    .resolves({ Responses: { Gateway: [{ pk: 'PROJECT#Project00001', sk: 'PROJECT', status: 'active' }] } });
  store.on(TransactWriteCommand).rejectsOnce(away).resolves({});
  store.on(PutCommand).rejects(away);
  // Unavailable; served; refused, with a lost event; simulated.
  for (const body of ['{}', '{}', '[]', '{"simulate":"API_KEY_REVOKED"}'])
    written.gateway.push(...(await linesOf(sent(body))));

  // The session is found, and every later call fails.
  store.reset();
  store.rejects(away);
  const user = { userId: `usr_${'A'.repeat(16)}` };
  const browser = { browser: 'Firefox on Linux', idToken: undefined };
  const { token, item } = newSession(
    user,
    browser,
    Date.now(),
    { idleMs: 1e6, absoluteMs: 1e6 },
    { randomBytes: (n) => randomBytes(n), secrets: LOCAL_KEY_TAG_SECRETS },
  );
  const Responses = { Gateway: [item, { ...user, pk: `USER#${user.userId}`, sk: 'USER' }] };
  store.on(BatchGetCommand).resolves({ Responses });
  for (const [path, ...cookies] of [['/api/sign-in'], ['/api/session', `__Host-Http-session=${token}`]] as const) {
    const event = { ...httpEvent({ method: 'GET', path }), cookies };
    written.portal.push(...(await linesOf(() => portal(event))));
  }
  // Only a project with a difference leads to this line (`portal/ledger`).
  const report = (): Promise<void> => {
    reportDifference(portalTelemetry(), 'r', new Error('project p'));
    return Promise.resolve();
  };
  written.portal.push(...(await linesOf(report)));
  written.notices.push(...(await linesOfNotices()));
});

/**
 * A change and a delivery, each with the store away, and then done: a notice, and a try of an endpoint that is none.
 */
async function linesOfNotices(): Promise<Line[]> {
  const { handler } = await import('../../functions/notices/handler.ts');
  const accountId = 'acc_0000000000000000';
  const at = '2026-11-23T20:00:00.000Z';
  const event = { accountId, at, actor: 'operator', action: 'project.suspend', before: null, after: null };
  const change = recordOf({ ...event, pk: `ACCOUNT#${accountId}`, sk: `AUDIT#${at}#1` }, 'INSERT');
  const ids = { accountId, endpointId: 'end_1', deliveryId: 'dlv_1' };
  const message = { kind: 'webhook', source: { accountId, sk: 'BACKLOG' } };
  const attributes = { SentTimestamp: '0' };
  const queued = { messageId: 'm', body: JSON.stringify(message), attributes } as SQSRecord;
  const work = async (): Promise<void> => {
    for (const record of [change, queued]) {
      await handler({ Records: [record] }, { getRemainingTimeInMillis: () => 1_000 } as Context);
    }
  };
  store.reset();
  store.rejects(away);
  const failed = await linesOf(work);
  store.reset();
  store.on(QueryCommand).resolves({ Items: [] });
  store.on(UpdateCommand).resolves({ Attributes: { waiting: { 'end_1#dlv_1': 0 }, joined: 1 } });
  store.on(GetCommand).resolves({});
  const key = { pk: `NOTICES#${accountId}`, sk: 'DELIVERY#end_1#dlv_1' };
  const told = { noticeId: 'ntc_1', type: TEST_TYPE, at };
  const delivery = { ...key, ...ids, ...told, state: 'waiting', attempts: 0, isAsked: true };
  const endpoint = { pk: key.pk, sk: 'ENDPOINT#end_1', ...ids, url: 'https://127.0.0.1/', status: 'active' };
  store
    .on(BatchGetCommand)
    .resolves({ Responses: { Gateway: [delivery, { ...endpoint, kinds: '', secretVersion: 1, createdAt: at }] } });
  const mailed = await linesOf(async () => {
    const { noticesTelemetry: telemetry } = await import('../../functions/notices/runtime.ts');
    const ids = { noticeId: 'ntc_1', accountId, memberId: 'mem_1', messageId: 'ses' };
    logMail(telemetry(), { ...ids, outcome: 'refused', reason: 'MessageRejected' });
    // Only a wrong ledger leads to these lines (`notices/ledgers`).
    const { reportLedger } = await import('../../functions/notices/daily/ledgers.ts');
    const counted = { quotaUsed: 3, ledgerUnits: 2, atLeast: -1, atMost: -1, caps: 0, irregularEvents: 0 };
    for (const details of [counted, { reason: 'no number' }])
      reportLedger(
        telemetry(),
        { projectId: 'p', period: '2026-11' },
        { state: 'different', details, differingRollups: 1 },
      );
  });
  return [...failed, ...(await linesOf(work)), ...mailed];
}
afterAll(() => {
  captured.stop();
  process.env = earlier;
});

/** The fields of a line, with nested ones in the form of Logs Insights. */
const fieldsOf = (line: object, prefix = ''): string[] =>
  Object.entries(line).flatMap(([name, value]) => [
    prefix + name,
    ...(typeof value === 'object' && value !== null ? fieldsOf(value as object, `${prefix}${name}.`) : []),
  ]);

/** The fields of an access log, by the template. */
function accessFields(template: StackTemplate): string[] {
  const [stage] = propertiesOf<{ AccessLogSettings: { Format: string } }>(template, 'AWS::ApiGatewayV2::Stage');
  if (!stage) return [];
  return Object.keys(JSON.parse(stage.AccessLogSettings.Format) as object);
}

const WORDS = new Set(
  'fields filter stats sort limit as by and or like in desc asc ispresent count sum pct'.split(' '),
);
/** The names in a query, without those that it defines and those that each log has. */
function namesIn({ text }: SavedQuery): string[] {
  const own = [...text.matchAll(/ as (\w+)/g)].map(([, name = '']) => name);
  const names = text.replaceAll(/"[^"]*"|\/[^/]*\//g, '').match(/@?[a-zA-Z][\w.]*/g) ?? [];
  return names.filter((name) => !WORDS.has(name) && !own.includes(name) && !['@timestamp', '@log'].includes(name));
}

const planes = [
  { plane: 'gateway', queries: GATEWAY_QUERIES, template: prod.gateway },
  { plane: 'portal', queries: PORTAL_QUERIES, template: prod.portal },
  { plane: 'notices', queries: NOTICES_QUERIES, template: prod.notices },
] as const;
const all = planes.flatMap(({ plane, queries, template }) =>
  Object.entries(queries).map(([name, query]) => ({ plane, name, query: query, template })),
);

describe('a saved query', () => {
  test.each(all)('of the $plane asks for what its logs hold: $name', ({ plane, query, template }) => {
    const known = {
      functions: new Set(written[plane].flatMap((line) => fieldsOf(line))),
      access: new Set(accessFields(template)),
    };
    const held = query.reads === 'both' ? new Set([...known.functions, ...known.access]) : known[query.reads];
    expect(namesIn(query).length).toBeGreaterThan(1);
    expect(namesIn(query).filter((name) => !held.has(name))).toEqual([]);
  });

  test.each(all.filter(({ query }) => query.reads === 'functions'))(
    'of the $plane finds what was written: $name',
    ({ plane, query }) => {
      for (const [, name = '', value = ''] of query.text.matchAll(/([\w.]+) = "([^"]*)"/g)) {
        expect(written[plane].map((line) => line[name])).toContain(value);
      }
    },
  );

  test('needs of Lambda’s own lines no more than the functions log: what failed', () => {
    const ofPlatform = all.filter(({ query }) => /platform|\brecord\./.test(query.text));
    expect(ofPlatform.map(({ plane }) => plane)).toEqual(['gateway', 'portal', 'notices']);
    for (const { query } of ofPlatform) expect(query.text).toMatch(KEPT_OF_PLATFORM);
  });

  test('is named in the runbook', () => {
    const page = readFileSync('docs/runbook.md', 'utf8');
    expect(all.filter(({ name }) => !page.includes(`_${name}_`)).map(({ name }) => name)).toEqual([]);
  });
});

test.each(planes)('the outputs of the $plane each say what they are', ({ template: { Outputs = {} } }) => {
  const own = Object.values(Outputs as Record<string, { Description?: string; Export?: unknown }>).filter(
    ({ Export }) => Export === undefined,
  );
  expect(own.length).toBeGreaterThan(7);
  expect(own.filter(({ Description = '' }) => Description.length < 10)).toEqual([]);
});
