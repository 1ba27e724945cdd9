import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from '@jest/globals';
import type { DynamoDBRecord } from 'aws-lambda';
import { updateProject, suspendProject, createProject } from '../../functions/accounts/projects/projects.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { removeMember, updateMember } from '../../functions/accounts/team/members.ts';
import { testEndpoint } from '../../functions/accounts/endpoints/deliveries.ts';
import { createEndpoint, updateEndpoint } from '../../functions/accounts/endpoints/endpoints.ts';
import { declineInvitation } from '../../functions/accounts/team/invitation-answers.ts';
import { QueueUnavailableError } from '../../functions/notices/failures.ts';
import type { NoticeType } from '../../functions/notices/notice.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { STREAM_FILTERS } from '../../functions/notices/names.ts';
import { checkProject } from '../../functions/notices/thresholds.ts';
import { letThrough } from '../../local/stream.ts';
import { booksByHand } from '../support/books-by-hand.ts';
import { testGateway } from '../support/gateway.ts';
import { markersOf, recordOf, tableStream, testNotices } from '../support/notices.ts';
import { itemsOf, join, ownAccount, person } from '../support/people.ts';
import { DAY_MS, MINUTE_MS } from '../support/times.ts';

async function scene() {
  const gateway = testGateway();
  const { owner, accountId, store } = await ownAccount(gateway);
  const ownerId = store.caller?.membership?.memberId ?? '';
  const notices = testNotices(gateway);
  const stream = tableStream(gateway, [accountId]);
  await stream();
  /** The next changes are later ones. */
  const later = (): void => {
    gateway.clock.nowMs++;
  };
  return { gateway, later, owner, ownerId, accountId, store, notices, stream, follow: () => notices.follow(stream) };
}
const invalidCall = () =>
  new DynamoDBServiceException({ name: 'ValidationException', $fault: 'client', $metadata: { httpStatusCode: 400 } });
const EVERY: readonly NoticeType[] = ['invitation.created', 'member.removed', 'project.suspended'];

describe('a committed change', () => {
  test('tells the invited person of an invitation, and nobody else', async () => {
    const { accountId, store, notices, follow } = await scene();
    const memberId = await inviteMember(store, accountId, { email: 'grace@example.com', role: 'member' });
    await follow();
    expect(notices.mails.map(({ to }) => to)).toEqual([{ memberId }]);
    expect(await notices.told()).toEqual([
      expect.objectContaining({ type: 'invitation.created', accountId, memberId, data: { role: 'member' } }),
    ]);
  });

  test('tells owners of the answer to an invitation, without who answered', async () => {
    const { gateway, later, ownerId, accountId, notices, stream, follow } = await scene();
    const { memberId } = await join(gateway, accountId, 'owner');
    const other = await person(gateway);
    later();
    const declined = await inviteMember(gateway.store, accountId, { email: other.profile.email, role: 'member' });
    await declineInvitation(other.store, accountId, other.profile);
    const records = await stream();
    await notices.give(records.filter(({ dynamodb }) => dynamodb?.NewImage?.action?.S !== 'member.add'));
    await follow();
    const told = await notices.told();
    expect(told.map(({ type, memberId: of }) => [type, of])).toEqual([
      ['invitation.accepted', memberId],
      ['invitation.declined', declined],
    ]);
    const to = notices.mails.map((mail) => mail.to);
    expect(to).toHaveLength(3);
    expect(to).toEqual(expect.arrayContaining([{ memberId: ownerId }, { memberId }]));
  });

  test('tells a person of the own role and removal, and other owners, but not who did it', async () => {
    const { gateway, later, accountId, store, notices, stream, follow } = await scene();
    const second = await join(gateway, accountId, 'owner');
    const { memberId, userId } = await join(gateway, accountId, 'member');
    await stream();
    await updateMember(store, accountId, memberId, 'owner');
    later();
    await removeMember(store, accountId, memberId);
    await follow();
    expect(await notices.told()).toEqual([
      expect.objectContaining({ type: 'member.role_changed', userId, data: { before: 'member', after: 'owner' } }),
      expect.objectContaining({ type: 'member.removed', userId, data: { role: 'owner' } }),
    ]);
    const both = [{ userId }, { memberId: second.memberId }];
    expect(notices.mails.map(({ to }) => to)).toEqual([...both, ...both]);
  });

  test('tells owners that a project was suspended, or its limit changed; its name tells nobody', async () => {
    const { gateway, later, ownerId, accountId, store, notices, stream, follow } = await scene();
    const projectId = await createProject(store, { accountId, name: 'P', quotaLimit: 100 });
    await stream();
    await updateProject(gateway.store, projectId, { name: 'Q' });
    await updateProject(gateway.store, projectId, { quota: 200 });
    later();
    await suspendProject(gateway.store, projectId);
    await follow();
    expect(await notices.told()).toEqual([
      expect.objectContaining({ type: 'project.limits_changed', projectId, data: { before: 100, after: 200 } }),
      expect.objectContaining({ type: 'project.suspended', projectId }),
    ]);
    expect(notices.mails.map(({ to }) => to)).toEqual([{ memberId: ownerId }, { memberId: ownerId }]);
  });

  test('goes to the endpoints that want it and are on, under one id each time', async () => {
    const { gateway, accountId, store, notices, stream } = await scene();
    const make = (name: string, kinds: readonly NoticeType[]) =>
      createEndpoint(store, accountId, { url: `https://${name}.example.com/hook`, kinds });
    const { endpointId } = await make('a', EVERY);
    await make('b', ['key.expiring']);
    const off = await make('c', EVERY);
    await updateEndpoint(store, accountId, off.endpointId, { status: 'disabled' });
    await stream();
    await inviteMember(gateway.store, accountId, { email: 'grace@example.com', role: 'member' });
    const records = await stream();
    await notices.give(records);
    await notices.give(records);
    expect(await notices.deliveries()).toMatchObject([{ endpointId, state: 'waiting', attempts: 0 }]);
  });

  test('that was not committed tells nobody: the change and its event are one transaction', async () => {
    const { gateway, accountId, store, notices, follow } = await scene();
    const member = await join(gateway, accountId, 'member');
    await follow();
    const before = notices.mails.length;
    await expect(updateMember(await member.in(accountId), accountId, member.memberId, 'owner')).rejects.toThrow();
    await expect(suspendProject(store, 'proj_none')).rejects.toThrow();
    await follow();
    expect(notices.mails).toHaveLength(before);
  });
});

describe('a stream', () => {
  test('that is read twice, backwards and with gaps tells each change under one id', async () => {
    const { gateway, accountId, store, notices, stream } = await scene();
    const projectId = await createProject(store, { accountId, name: 'P', quotaLimit: 100 });
    await stream();
    for (const quota of [200, 300, 400]) await updateProject(gateway.store, projectId, { quota });
    const records = await stream();
    await notices.give(records.toReversed());
    await notices.give(records);
    await notices.give(records.slice(1, 2));
    const told = await notices.told();
    expect(told.map(({ data }) => data.after).sort()).toEqual([200, 300, 400]);
    expect(new Set(told.map(({ id }) => id)).size).toBe(3);
  });

  test.each([
    ['without its new image', { dynamodb: { SequenceNumber: '1', Keys: {} } }],
    [
      'with a change that has no account',
      recordOf({ pk: 'ACCOUNT#a', sk: 'AUDIT#1', action: 'member.join' }, 'INSERT'),
    ],
    ['with a marker of no known type', recordOf({ pk: 'NOTICES#a', sk: 'MARK#1', accountId: 'a', at: 'x' }, 'INSERT')],
    ['with a key that is no text', recordOf({ pk: 1, sk: 2 }, 'INSERT')],
  ])('with a poison record %s goes on with the others, and the platform team is told', async (_, poison) => {
    const { accountId, store, notices, stream } = await scene();
    await inviteMember(store, accountId, { email: 'grace@example.com', role: 'member' });
    const records = await stream();
    const { batchItemFailures } = await notices.give([{ eventName: 'INSERT', ...poison }, ...records]);
    expect(batchItemFailures).toEqual([]);
    expect(notices.mails).toHaveLength(1);
    expect(notices.warnings).toEqual(['a record cannot be read and is left out']);
    expect(notices.metrics).toContain('NoticeRecordsUnreadable');
  });

  test('is given again from the record that failed, so nothing is lost', async () => {
    const { gateway, accountId, store, notices, stream } = await scene();
    const ids = [];
    for (let n = 0; n < 12; n++) {
      ids.push(await inviteMember(store, accountId, { email: `grace${n}@example.com`, role: 'member' }));
    }
    const records = await stream();
    const failed = records[10]?.dynamodb?.NewImage?.memberId?.S;
    const { queues } = notices.dependencies;
    const throttled: typeof queues.mail = {
      send: (messages) =>
        messages.some(
          (message) => message.kind === 'mail' && 'memberId' in message.to && message.to.memberId === failed,
        )
          ? Promise.reject(new Error('throttled'))
          : queues.mail.send(messages),
    };
    const failing = testNotices(gateway, { queues: { ...queues, mail: throttled } });
    const { batchItemFailures } = await failing.give(records);
    const from = records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === batchItemFailures[0]?.itemIdentifier);
    expect([from, failing.metrics.filter((metric) => metric === 'NoticeFailures')]).toEqual([10, ['NoticeFailures']]);
    await notices.give(records.slice(from));
    expect(new Set(notices.mails.map(({ to }) => JSON.stringify(to)))).toEqual(
      new Set(ids.map((memberId) => JSON.stringify({ memberId }))),
    );
  });

  test.each([
    ['a defect is given again for 15 minutes, and then left out', new TypeError('a defect'), 15 * MINUTE_MS],
    ['a call that the store refuses as invalid is given again for 15 minutes, too', invalidCall(), 15 * MINUTE_MS],
    ['a queue that is down is given again for as long as it is', new QueueUnavailableError('down'), Infinity],
  ])('with a record that fails by %s', async (_how, failure, untilMs) => {
    const { gateway, accountId, store, notices, stream } = await scene();
    const failing = await inviteMember(store, accountId, { email: 'grace@example.com', role: 'member' });
    await inviteMember(store, accountId, { email: 'ada@example.com', role: 'member' });
    const madeAtSeconds = gateway.clock.nowMs / 1_000;
    const records = (await stream()).map(({ dynamodb, ...record }) => ({
      ...record,
      dynamodb: { ...dynamodb, ApproximateCreationDateTime: madeAtSeconds },
    }));
    const { queues } = notices.dependencies;
    const send: typeof queues.mail.send = (messages) =>
      JSON.stringify(messages).includes(failing) ? Promise.reject(failure) : queues.mail.send(messages);
    const instance = testNotices(gateway, { queues: { ...queues, mail: { send } } });
    for (const ageMs of [0, 15 * MINUTE_MS - 1, 15 * MINUTE_MS, DAY_MS / 4]) {
      gateway.clock.nowMs = madeAtSeconds * 1_000 + ageMs;
      const { batchItemFailures } = await instance.give(records);
      expect([ageMs, batchItemFailures.length]).toEqual([ageMs, ageMs < untilMs ? 1 : 0]);
    }
    const isLeftOut = untilMs < Infinity;
    expect(instance.metrics.includes('NoticeRecordsUnreadable')).toBe(isLeftOut);
    expect(instance.warnings.includes('a record cannot be read and is left out')).toBe(isLeftOut);
    expect(instance.leftOut.length > 0).toBe(isLeftOut);
    expect(notices.mails.some(({ to }) => JSON.stringify(to) !== JSON.stringify({ memberId: failing }))).toBe(true);
  });

  test('with a counter that is no number any more goes on with the others, as a check by hand does', async () => {
    const { gateway, accountId, notices } = await scene();
    const made: string[] = [];
    const records: DynamoDBRecord[] = [];
    for (const units of ['many', 100]) {
      const projectId = await createProject(gateway.store, { accountId, name: 'P', quotaLimit: 100 });
      await booksByHand(gateway.store, projectId).putCounter(units);
      made.push(projectId);
      records.push(recordOf({ ...itemKey.quota(projectId, '2030-01'), units }, 'MODIFY'));
    }
    expect(await notices.give(records)).toEqual({ batchItemFailures: [] });
    expect(await markersOf(gateway, accountId)).toHaveLength(2);
    const isReported = () => {
      expect([notices.warnings.splice(0), notices.metrics.splice(0)]).toEqual([
        ['a counter cannot be read and is left out'],
        ['NoticeRecordsUnreadable'],
      ]);
    };
    isReported();
    for (const projectId of made) await checkProject(notices.dependencies, projectId);
    isReported();
    expect(await markersOf(gateway, accountId)).toHaveLength(2);
  });

  test('tells of a delivery only where somebody asked for it', async () => {
    const { gateway, accountId, store, notices, stream } = await scene();
    const { endpointId } = await createEndpoint(store, accountId, { url: 'https://a.example.com/', kinds: EVERY });
    const deliveryId = await testEndpoint(store, accountId, endpointId);
    const asked = await itemsOf(gateway, `NOTICES#${accountId}`);
    const { isAsked, ...delivery } = asked.find((item) => item.deliveryId === deliveryId) ?? {};
    expect(isAsked).toBe(true);
    const ordinary = recordOf({ ...delivery, sk: `DELIVERY#${endpointId}#dlv_ordinary` }, 'INSERT');
    expect(letThrough([ordinary], STREAM_FILTERS.changes)).toEqual([]);
    const records = await stream();
    expect(records.filter(({ dynamodb }) => dynamodb?.Keys?.sk?.S?.startsWith('DELIVERY#'))).toHaveLength(1);
    await notices.give(records);
    expect(await notices.deliveries()).toMatchObject([{ endpointId, deliveryId }]);
  });

  test('of deletions by age tells nothing', async () => {
    const { gateway, accountId, store, notices, stream } = await scene();
    await inviteMember(store, accountId, { email: 'grace@example.com', role: 'member' });
    const records = await stream();
    await notices.give(records.map((record) => ({ ...record, eventName: 'REMOVE' as const })));
    expect([notices.mails, await markersOf(gateway, accountId)]).toEqual([[], []]);
  });
});

describe('what is left out', () => {
  const spoiled = () => {
    const { eventName, dynamodb } = recordOf(
      { pk: 'ACCOUNT#a', sk: 'AUDIT#1', action: 'project.suspend', at: 7 },
      'INSERT',
    );
    return { eventName, dynamodb } as ReturnType<typeof recordOf>;
  };

  test('is kept in the form in which it can be given again, and waits as long as it could not be kept', async () => {
    const gateway = testGateway();
    const record = spoiled();
    const down = testNotices(gateway, { keepLeftOut: () => Promise.reject(new Error('S3 is down')) });
    expect((await down.give([record])).batchItemFailures).toHaveLength(1);
    // Not the metric that rolls a deployment back: a bucket that is away is no defect.
    expect(down.metrics).toEqual(['NoticeFailures']);
    const notices = testNotices(gateway);
    expect((await notices.give([record])).batchItemFailures).toEqual([]);
    expect(notices.leftOut).toEqual([{ Records: [record] }]);
  });
});

test.each([
  ['a defect', new TypeError('a defect'), true],
  ['a queue that takes nothing', new QueueUnavailableError('no'), false],
])('a whole batch that fails by %s sets off the alarm that rolls back: %s', async (_name, error, isCounted) => {
  const { gateway, accountId, store, stream } = await scene();
  await inviteMember(store, accountId, { email: 'grace@example.com', role: 'member' });
  const broken = { send: () => Promise.reject(error) };
  const notices = testNotices(gateway, { queues: { mail: broken, webhooks: broken, daily: broken } });
  await notices.give(await stream());
  expect(notices.metrics.includes('NoticeBatchesFailed')).toBe(isCounted);
});
