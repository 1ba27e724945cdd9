import { describe, expect, test } from '@jest/globals';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expireKey } from '../../functions/accounts/keys/api-keys.ts';
import { findKey } from '../../functions/accounts/keys/stored-keys.ts';
import { resumeProject, suspendProject } from '../../functions/accounts/projects/projects.ts';
import { isoTime } from '../../functions/shared/time.ts';
import { recordCalls } from '../support/database.ts';
import { created, join, read, stageWithTenant } from '../support/portal-team.ts';
import { DAY_MS, MINUTE_MS } from '../support/times.ts';
import { program, tokenOf } from '../support/tokens.ts';

interface Found {
  readonly accountId: string;
  readonly cause?: Record<string, unknown>;
}

async function stage() {
  const tenant = await stageWithTenant();
  const { browser, account, accountId, project, keyId, gateway, clock, portal } = tenant;
  const { members } = await read<{ members: { email: string; name: string; memberId: string }[] }>(
    browser.get(`${account}/members`),
  );
  const [{ name, email } = { name: '', email: '' }] = members;
  const { token } = await tokenOf(browser, account);
  const program_ = program(portal, token);
  const patch = async (change: object) => {
    const { status, text } = await browser.patch(`${project}/keys/${keyId}`, change);
    if (status !== 200) throw new Error(text);
  };
  /** The id of a request that is refused, 40 s after now. */
  const refused = async (key = tenant.key, request: Parameters<typeof gateway.ping>[1] = {}) => {
    clock.nowMs += 40_000;
    return String((await gateway.ping(key, request)).body.requestId);
  };
  const causeFor = async (who: Pick<typeof browser, 'get'>, requestId: string) =>
    (await read<Found>(who.get(`/api/requests/${requestId}`))).cause;
  /** What the owner, a member, a viewer and a token are told. */
  const causes = async (requestId: string) => ({
    owner: await causeFor(browser, requestId),
    member: await causeFor(member, requestId),
    viewer: await causeFor(viewer, requestId),
    token: (await read<Found>(program_.get(`/requests/${requestId}`))).cause,
    page: (await read<Found>(browser.get(`${project}/events/${requestId}`))).cause,
  });
  const member = await join(portal, browser, accountId);
  const viewer = await join(portal, browser, accountId, 'viewer');
  const byOwner = (change: object) => {
    const named = { ...change, by: name, byKind: 'member' };
    const owner = { ...named, byEmail: email };
    return { owner, member: named, viewer: named, token: { ...change, by: 'member' }, page: owner };
  };
  return { ...tenant, ci: program_, member, viewer, name, email, patch, refused, causeFor, causes, byOwner };
}
const now = ({ clock }: { clock: { nowMs: number } }) => isoTime(clock.nowMs);

describe('the cause of a refused request names the change that refuses it, and who made it:', () => {
  test('a revocation, with the address for owners alone, and the kind for tokens', async () => {
    const s = await stage();
    const at = now(s);
    await s.browser.post(`${s.project}/keys/${s.keyId}/revoke`);
    expect(await s.causes(await s.refused())).toEqual(s.byOwner({ action: 'key.revoke', at }));
  });

  test('a pause, as it was before the request, also when the key was resumed and paused again', async () => {
    const s = await stage();
    const at = now(s);
    await s.patch({ paused: true });
    s.clock.nowMs += MINUTE_MS;
    await s.patch({ name: 'Another name' });
    const first = await s.refused();
    s.clock.nowMs += MINUTE_MS;
    await s.patch({ paused: false });
    expect(await s.causes(first)).toEqual(s.byOwner({ action: 'key.update', at }));
    s.clock.nowMs += MINUTE_MS;
    await s.patch({ paused: true });
    expect(await s.causeFor(s.browser, first)).toMatchObject({ at });
    const again = isoTime(s.clock.nowMs);
    expect(await s.causeFor(s.browser, await s.refused())).toMatchObject({ at: again });
  });

  test('a pause by a version that stored no time', async () => {
    const s = await stage();
    const at = now(s);
    await s.patch({ paused: true });
    const { client, tables } = s.portal.store;
    const Key = await findKey(s.portal.operator, s.projectId, s.keyId);
    const remove = { UpdateExpression: 'REMOVE pausedAtMs', ConditionExpression: 'attribute_exists(pausedAtMs)' };
    await client.send(new UpdateCommand({ TableName: tables.gateway, Key, ...remove }));
    expect(await s.causeFor(s.browser, await s.refused())).toMatchObject({ action: 'key.update', at });
  });

  test('an end that was set when the key was made, later, and by the platform team', async () => {
    const s = await stage();
    const of = async (keyId: string, key: string, at: string, action: string, by: string) => {
      s.clock.nowMs += DAY_MS;
      await s.browser.signIn(s.browser.email);
      expect([keyId, await s.causeFor(s.browser, await s.refused(key))]).toMatchObject([keyId, { action, at, by }]);
    };
    const [madeAt, made] = [now(s), await created(s.browser.post(`${s.project}/keys`, { expiresInHours: 1 }))];
    await of(made.keyId ?? '', made.key ?? '', madeAt, 'key.create', s.name);
    const setAt = now(s);
    await s.patch({ expiresAt: isoTime(s.clock.nowMs + MINUTE_MS) });
    await of(s.keyId, s.key, setAt, 'key.update', s.name);
    const other = await created(s.browser.post(`${s.project}/keys`, {}));
    const endedAt = now(s);
    await expireKey(s.portal.operator, s.projectId, other.keyId ?? '', { inMs: 0 });
    await of(other.keyId ?? '', other.key ?? '', endedAt, 'key.expire', 'operator');
  });

  test('the grace of a rotation', async () => {
    const s = await stage();
    const at = now(s);
    await created(s.browser.post(`${s.project}/keys/${s.keyId}/rotate`, { graceHours: 0 }));
    expect(await s.causes(await s.refused())).toEqual(s.byOwner({ action: 'key.rotate', at }));
  });

  test('a suspension by the platform team, whose people have no names here, also after it', async () => {
    const s = await stage();
    const at = now(s);
    await suspendProject(s.portal.operator, s.projectId);
    const requestId = await s.refused();
    await resumeProject(s.portal.operator, s.projectId);
    const cause = { action: 'project.suspend', at, by: 'operator' };
    const named = { ...cause, byKind: 'operator' };
    expect(await s.causes(requestId)).toEqual({
      owner: named,
      member: named,
      viewer: named,
      token: cause,
      page: named,
    });
  });

  test('a token, by its name, and a report', async () => {
    const s = await stage();
    const at = now(s);
    await s.ci.post(`/projects/${s.projectId}/keys/${s.keyId}/revoke`);
    const cause = { action: 'key.revoke', at, by: 'CI', byKind: 'token' };
    const found = await s.causes(await s.refused());
    expect(found).toMatchObject({ owner: cause, viewer: cause, token: { at, by: 'token' } });
    const { key = '' } = await created(s.browser.post(`${s.project}/keys`, {}));
    const headers = { 'content-type': 'application/json' };
    await s.portal.send({ method: 'POST', path: '/api/leaked-keys', headers, body: [{ token: key, type: 'x' }] });
    expect(await s.causeFor(s.member, await s.refused(key))).toMatchObject({ action: 'key.report', by: 'report' });
  });

  test('somebody who has left, by name for owners alone', async () => {
    const s = await stage();
    const { members } = await read<{ members: { memberId: string; name: string }[] }>(
      s.browser.get(`${s.account}/members`),
    );
    await s.member.post(`${s.project}/keys/${s.keyId}/revoke`);
    const requestId = await s.refused();
    await s.browser.delete(`${s.account}/members/${s.member.memberId}`);
    const name = members.find(({ memberId }) => memberId === s.member.memberId)?.name;
    expect(await s.causeFor(s.browser, requestId)).toMatchObject({ by: name, byEmail: s.member.email });
    const told = await s.causeFor(s.viewer, requestId);
    expect(told).toMatchObject({ by: 'former member', byKind: 'former' });
    expect(told).not.toHaveProperty('byEmail');
    expect((await s.member.get(`/api/requests/${requestId}`)).status).toBe(404);
  });
});

describe('of a request that was refused for itself the cause is', () => {
  test('the first request under its Idempotency-Key, while its answer is stored', async () => {
    const s = await stage();
    const headers = { 'idempotency-key': 'order-7' };
    const [first, at] = [await s.gateway.ping(s.key, { headers }), now(s)];
    const conflict = await s.refused(s.key, { headers, body: { a: 1 } });
    const cause = { requestId: first.body.requestId, at };
    expect(await s.causes(conflict)).toEqual({ owner: cause, member: cause, viewer: cause, token: cause, page: cause });
    s.clock.nowMs += DAY_MS;
    await s.browser.signIn(s.browser.email);
    expect(await s.causeFor(s.browser, conflict)).toBeUndefined();
  });

  test('how many requests of its key the rate limit refused in its minute', async () => {
    const s = await stage();
    const other = await created(s.browser.post(`${s.project}/keys`, {}));
    s.clock.nowMs = Math.ceil(s.clock.nowMs / MINUTE_MS) * MINUTE_MS - 40_000;
    const minute = isoTime(s.clock.nowMs + 40_000);
    const requestId = await s.refused();
    for (let i = 0; i < 62; i++) await s.gateway.ping(s.key);
    for (let i = 0; i < 61; i++) await s.gateway.ping(other.key ?? '');
    const limited = (await s.gateway.events(s.projectId)).filter(({ code }) => code === 'RATE_LIMIT_EXCEEDED');
    expect(limited).toHaveLength(4);
    const [one] = limited.filter(({ keyId }) => keyId === s.keyId);
    const cause = { count: 3, minute };
    expect(await s.causes(one?.requestId ?? '')).toMatchObject({ owner: cause, token: cause, page: cause });
    expect(await s.causeFor(s.browser, requestId)).toBeUndefined();
  });

  test('not there for one that asked for its answer, nor where the key is gone', async () => {
    const s = await stage();
    const simulated = await s.refused(s.key, { body: { simulate: 'API_KEY_REVOKED' } });
    await s.browser.post(`${s.project}/keys/${s.keyId}/revoke`);
    expect(await s.causeFor(s.browser, simulated)).toBeUndefined();
    s.clock.nowMs += 91 * DAY_MS;
    await s.browser.signIn(s.browser.email);
    const late = await s.refused();
    expect(await s.causeFor(s.browser, late)).toBeUndefined();
  });
});

test('the audit is read for a look-up alone, around the time of the change, and at most 50 items of it', async () => {
  const s = await stage();
  for (let i = 0; i < 60; i++) await s.patch({ name: `CI ${i}` }).catch(() => (s.clock.nowMs += MINUTE_MS));
  await s.browser.post(`${s.project}/keys/${s.keyId}/revoke`);
  const requestId = await s.refused();
  const calls = recordCalls(s.portal.client);
  expect(await s.causeFor(s.browser, requestId)).toMatchObject({ action: 'key.revoke' });
  const audits = calls.inputs.filter((input) => JSON.stringify(input).includes('AUDIT#')) as { Limit?: number }[];
  expect(audits.map(({ Limit }) => Limit)).toEqual([50]);
  calls.inputs.length = 0;
  await read(s.browser.get(`${s.project}/events`));
  expect(calls.inputs.filter((input) => JSON.stringify(input).includes('AUDIT#'))).toEqual([]);
});
