import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createKey } from '../../functions/accounts/keys/api-keys.ts';
import { createEndpoint, updateEndpoint } from '../../functions/accounts/endpoints/endpoints.ts';
import { testEndpoint } from '../../functions/accounts/endpoints/deliveries.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { reportLeakedKeys } from '../../functions/accounts/keys/leaked-keys.ts';
import { readKey } from '../../functions/accounts/keys/stored-keys.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { updateMember, removeMember } from '../../functions/accounts/team/members.ts';
import { updateThresholds } from '../../functions/accounts/team/notice-thresholds.ts';
import { createToken } from '../../functions/accounts/tokens/tokens.ts';
import { createProject } from '../../functions/accounts/projects/projects.ts';
import { NOTICE_TYPES } from '../../functions/shared/notice-type.ts';
import { noticesHandler, type NoticesEvent, type NoticesHandler } from '../../functions/notices/dispatch.ts';
import { sqsClient, sqsQueue } from '../../functions/notices/sqs-queue.ts';
import { warmUp } from '../../functions/shared/store/client.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { LOCAL_KEY_TAG_SECRET, LOCAL_TABLES } from '../../local/settings.ts';
import { ownTables } from '../support/books-by-hand.ts';
import { deleteItem, putItem } from '../support/database.ts';
import { KEY } from '../support/gateway.ts';
import { variablesOf } from '../support/iam-proxy/callers.ts';
import { startIamProxy, type IamProxy } from '../support/iam-proxy/proxy.ts';
import type { OnCall } from '../support/iam-proxy/judgement.ts';
import { grantsOf, isAllowed, policyOf, usesOf, type Permission } from '../support/iam.ts';
import { returned, testMailer } from '../support/mails.ts';
import { recordOf, tableStream, testNotices } from '../support/notices.ts';
import { itemsOf, join, ownAccount } from '../support/people.ts';
import { testClock } from '../support/reports.ts';
import { playSqs, type TestSqs } from '../support/aws-services.ts';
import { DAY_MS } from '../support/times.ts';

declare const ENGINE: string;

/** The two functions. */
const POLICIES = { notices: policyOf('notices'), daily: policyOf('daily') };
const policy = POLICIES.notices;
/** The one that is at work. */
let at: keyof typeof POLICIES = 'notices';
const used = { notices: new Set<string>(), daily: new Set<string>() };
const made: Permission[] = [];
const onCall: OnCall = (permission, _isAllowed, caller) => {
  if (caller !== 'notices') return;
  if (!isAllowed(POLICIES[at], permission)) throw new Error(`${at} may not: ${JSON.stringify(permission)}`);
  made.push(permission);
  for (const grant of usesOf(POLICIES[at], permission)) used[at].add(grant);
};
const OF_QUEUES = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map((action) => `queues sqs:${action} any`);
/** What Lambda does under the role for the event source mappings (AWS Lambda, "Execution role permissions"). */
const OF_MAPPINGS = [
  ...['DescribeStream', 'GetRecords', 'GetShardIterator'].map((action) => `stream dynamodb:${action} any`),
  // It knows no resources.
  'undefined dynamodb:ListStreams any',
  ...OF_QUEUES,
];

let iamProxy: IamProxy;
let sqs: TestSqs;
beforeAll(async () => {
  const endpoint = `TEST_ENDPOINT_${ENGINE}`;
  // An IAM proxy before the run's own, which reports what each call uses.
  iamProxy = await startIamProxy(process.env[endpoint] ?? '', onCall);
  sqs = playSqs(() => {
    const permission: Permission = { resource: 'queues', action: 'sqs:SendMessage', leadingKeys: [] };
    onCall(permission, true, 'notices');
  });
  Object.assign(process.env, {
    [endpoint]: iamProxy.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: iamProxy.endpoint,
    ...variablesOf('notices'),
  });
});
afterAll(async () => {
  sqs.close();
  // No call was refused, not even one whose failure the function only logs.
  await iamProxy.close();
});

/** An account in tables of its own, since the daily run reads partitions that all accounts share. */
async function scene() {
  const clock = testClock();
  const { client, store: operator } = await ownTables();
  const gateway = { store: { ...operator, clock }, clock };
  const { accountId, store, owner } = await ownAccount(gateway);
  const projectId = await createProject(gateway.store, { accountId, name: 'Trips', quotaLimit: 100 });
  return { client, clock, gateway, accountId, projectId, owner, store };
}

describe('the notices function', () => {
  test('is granted exactly what it does: no less, or a notice would be lost, and no more', async () => {
    const { client, clock, gateway, accountId, projectId, store } = await scene();
    const stream = tableStream(gateway, [accountId, projectId]);
    const answers: number[] = [];
    const urls = { mail: 'https://sqs.example.com/mail', webhooks: 'https://sqs.example.com/webhooks' };
    const daily = 'https://sqs.example.com/daily';
    const sender = sqsClient();
    const { dependencies, warnings } = testNotices(gateway, {
      queues: {
        mail: sqsQueue(sender, urls.mail),
        webhooks: sqsQueue(sender, urls.webhooks),
        daily: sqsQueue(sender, daily),
      },
      mailer: testMailer(),
      deliver: () => Promise.resolve(answers.shift() ?? 200),
    });
    const handle = noticesHandler(dependencies);
    const give = async (event: NoticesEvent): Promise<void> => {
      expect(await handle(event, () => Infinity)).toEqual({ batchItemFailures: [] });
    };
    /**
     * Follows the stream, and sends what is in the queues, until there is nothing more; what is held back is given on.
     */
    const work = async (): Promise<void> => {
      for (;;) {
        // A counter is told of at each look, also unchanged.
        const records = (await stream()).filter(({ eventName }) => eventName === 'INSERT');
        const messages = sqs.batches
          .splice(0)
          .flatMap(({ queue, messages }) => messages.map((one) => ({ queue, ...one })));
        if (records.length + messages.length === 0) return;
        if (records.length > 0) await give({ Records: records });
        for (const { queue, Id, MessageBody, DelaySeconds = 0 } of messages) {
          clock.nowMs += DelaySeconds * 1_000;
          at = queue === daily ? 'daily' : 'notices';
          await give({ Records: [{ messageId: Id, body: MessageBody } as never] });
          at = 'notices';
        }
      }
    };

    // People: an invitation to somebody, an owner that is told of others, a role, a removal.
    const details = { url: 'https://hooks.example.com/a', kinds: NOTICE_TYPES };
    const { endpointId } = await createEndpoint(store, accountId, details);
    const other = await join(gateway, accountId, 'owner');
    const member = await join(gateway, accountId, 'member');
    await inviteMember(store, accountId, { email: 'grace@example.com', role: 'member' });
    await work();
    await updateMember(gateway.store, accountId, member.memberId, 'owner');
    await removeMember(gateway.store, accountId, other.memberId);
    await work();
    const { memberId } = member;
    const detail = returned('Bounce', 'grace@example.com', { accountId, memberId, noticeId: 'ntc_1' });
    await give({ source: 'aws.ses', detail } as never);

    // What is used: a quota, a cap, and the cap of a key that was deleted long after its rotation.
    const key = { projectId, ...KEY, unitsLimit: 3 };
    const [capped, replaced] = [await createKey(gateway.store, key), await createKey(gateway.store, key)];
    await rotateKey(gateway.store, projectId, replaced.keyId, 0);
    await deleteItem(gateway.store, itemKey.keyReference(projectId, replaced.keyId));
    clock.nowMs += DAY_MS;
    const counters = [
      [itemKey.quota(projectId, '2030-01'), 80],
      [itemKey.capUnits(projectId, '2030-01', capped.keyId), 3],
      [itemKey.capUnits(projectId, '2030-01', replaced.keyId), 3],
    ] as const;
    for (const [at, units] of counters) await putItem(gateway.store, { ...at, units });
    await work();

    // Keys that a report has left: one of a rotation in its grace, whose place the old key takes.
    const old = await createKey(gateway.store, { projectId, ...KEY });
    const { key: leaked } = await rotateKey(gateway.store, projectId, old.keyId, DAY_MS);
    const deadline = Object.assign(new AbortController().signal, { leftMs: () => 0 });
    await reportLeakedKeys({ ...gateway.store, deadline }, [{ token: leaked }], 'revoke');
    const [left] = await itemsOf(gateway, 'NOTICES#report');
    await give({ Records: [recordOf(left ?? {}, 'INSERT')] });
    await work();
    await expect(readKey(gateway.store, projectId, old.keyId)).resolves.toMatchObject({ status: 'active' });

    // Deliveries: a test, one that fails and is tried again, and one that switches the endpoint off.
    await testEndpoint(store, accountId, endpointId);
    await work();
    for (const [role, answer] of [
      ['member', 500],
      ['owner', 410],
    ] as const) {
      answers.push(answer);
      await updateMember(gateway.store, accountId, member.memberId, role);
      await work();
    }
    await updateEndpoint(store, accountId, endpointId, { status: 'active' });

    // The start of the function of daily work.
    at = 'daily';
    await warmUp(dependencies.store.client, dependencies.store.tables.gateway);
    at = 'notices';

    // The daily run, of a key and a token that will expire, and of what was charged.
    const rotated = await createKey(gateway.store, { ...key, lifetimeMs: 8 * DAY_MS });
    await rotateKey(gateway.store, projectId, rotated.keyId, 8 * DAY_MS);
    await createToken(gateway.store, accountId, { name: 'CI', scopes: ['keys:read'], lifetimeMs: 8 * DAY_MS });
    await updateThresholds(gateway.store, accountId, { days: [7] });
    clock.nowMs += DAY_MS;
    await putItem(gateway.store, { ...itemKey.quota(projectId, '2030-02'), units: 0 });
    await work();
    clock.nowMs += DAY_MS;
    await give({ source: 'schedule' });
    // Until the next release: what the version before has handed out is in the webhook queue.
    const today = `"ends":"${new Date(clock.nowMs).toISOString().slice(0, 10)}"`;
    const underWay = sqs.batches.flatMap(({ messages }) => messages).find((one) => one.MessageBody.includes(today));
    await give({ Records: [{ messageId: 'm', body: underWay?.MessageBody } as never] });
    await work();

    sender.destroy();
    client.destroy();
    expect(warnings).toEqual([]);
    const of = (name: keyof typeof POLICIES) => [...new Set(grantsOf(POLICIES[name]))].sort();
    expect([...used.notices, ...OF_MAPPINGS].sort()).toEqual(of('notices'));
    expect([...used.daily, ...OF_QUEUES].sort()).toEqual(of('daily'));
  });

  test.each<[string, Permission]>([
    ['reading the usage log', { resource: 'usage', action: 'dynamodb:Query', leadingKeys: ['p'] }],
    ['writing the usage log', { resource: 'usage', action: 'dynamodb:PutItem', leadingKeys: ['p'] }],
    ['making a project', { resource: 'gateway', action: 'dynamodb:PutItem', leadingKeys: ['PROJECT#p'] }],
    ['making a key', { resource: 'gateway', action: 'dynamodb:PutItem', leadingKeys: ['KEY#k'] }],
    ['deleting a key', { resource: 'gateway', action: 'dynamodb:DeleteItem', leadingKeys: ['KEY#k'] }],
    ['changing a person', { resource: 'gateway', action: 'dynamodb:UpdateItem', leadingKeys: ['USER#u'] }],
    ['changing an account', { resource: 'gateway', action: 'dynamodb:UpdateItem', leadingKeys: ['ACCOUNT#a'] }],
    ['listing sessions', { resource: 'gateway', action: 'dynamodb:Query', leadingKeys: ['USER#u'] }],
    ['deleting anything', { resource: 'gateway', action: 'dynamodb:DeleteItem', leadingKeys: ['NOTICES#a'] }],
    ['reading the whole table', { resource: 'gateway', action: 'dynamodb:Scan', leadingKeys: [] }],
    ['emptying a queue', { resource: 'queues', action: 'sqs:PurgeQueue', leadingKeys: [] }],
  ])('is refused %s', (_what, permission) => {
    expect(isAllowed(policy, permission)).toBe(false);
  });
});

describe('its start', () => {
  test('does what the policy allows, too', async () => {
    Object.assign(process.env, {
      GATEWAY_TABLE: LOCAL_TABLES.gateway,
      USAGE_TABLE: LOCAL_TABLES.usage,
      POWERTOOLS_LOG_LEVEL: 'SILENT',
      KEY_TAG_SECRETS: LOCAL_KEY_TAG_SECRET,
      PORTAL_ORIGIN: 'https://portal.example.com',
      QUOTA_PERIOD: 'month',
      MAIL_QUEUE_URL: 'https://sqs.example.com/mail',
      WEBHOOK_QUEUE_URL: 'https://sqs.example.com/webhooks',
      DAILY_QUEUE_URL: 'https://sqs.example.com/daily',
      POWERTOOLS_METRICS_DISABLED: 'true',
    });
    made.length = 0;
    const { handler }: { handler: unknown } = await import('../../functions/notices/handler.ts');
    expect(made).toHaveLength(1);
    const none: NoticesEvent = { Records: [] };
    expect(await (handler as NoticesHandler)(none, () => 0)).toEqual({ batchItemFailures: [] });
  });
});
