import { beforeAll, describe, expect, test } from '@jest/globals';
import { DEFAULT_LIMITS } from '../../functions/accounts/store/limits.ts';
import { sessionIdOf } from '../support/authority/places.ts';
import { WHO_MAY } from '../support/authority/who-may.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { scene } from '../support/changes/scene.ts';
import { recordCalls } from '../support/database.ts';
import { testPortal, type PortalAnswer } from '../support/portal.ts';
import { filledPath, portalOperations } from '../support/portal-contract.ts';
import { MINUTE_MS } from '../support/times.ts';
import { usedLimitsOf } from '../support/people.ts';
import { program, tokenOf } from '../support/tokens.ts';
import { putManyEvents, readUnitsOf } from '../support/read-units.ts';

const LIMIT = 8;
const FLOOD = 3 * LIMIT;
/** More than 1 MB of events. */
const MANY_EVENTS = 3_600;
/** The value of `Retry-After` 30 seconds into a minute. */
const NEXT_MINUTE_SECONDS = '30';

const REQUEST = '01b92504-8230-7a78-958c-786de2921d1b';

const portal = testPortal(trustingProvider, {
  limits: { ...DEFAULT_LIMITS, changesPerMinute: LIMIT, readsPerMinute: LIMIT },
});

/** A member of a team with a project, in a new minute. */
async function newMember() {
  const made = scene(portal);
  const [owner, member] = [await made.somebody(), await made.somebody()];
  const accountId = await made.account(owner);
  const [projectId, memberId] = [await made.project(accountId), await made.join(accountId, member, 'owner')];
  const { keyId } = await made.key(projectId);
  const endpointId = await made.endpoint(accountId, { url: 'https://example.com/hooks', kinds: ['key.expiring'] });
  const deliveryId = await made.delivery(accountId, endpointId);
  const tokenId = await made.token(accountId);
  const invitedTo = await made.account(owner);
  await made.invite(invitedTo, member);
  portal.clock.nowMs += MINUTE_MS;
  const account = `/api/accounts/${accountId}`;
  const project = `${account}/projects/${projectId}`;
  const flooder = portal.browser([member.cookie]);
  const sessionId = await sessionIdOf(flooder);
  return {
    userId: member.userId,
    flooder,
    other: portal.browser([owner.cookie]),
    ids: {
      accountId,
      projectId,
      keyId,
      memberId,
      endpointId,
      deliveryId,
      tokenId,
      sessionId,
      requestId: REQUEST,
    },
    invitedTo,
    account,
    project,
    key: `${project}/keys/${keyId}`,
    member: `${account}/members/${memberId}`,
  };
}
type Member = Awaited<ReturnType<typeof newMember>>;

/** The number of refusals by the limit; throws unless each names the time to try again. */
function refusedIn(answers: readonly PortalAnswer[]): number {
  const refused = answers.filter(({ status }) => status === 429);
  for (const { headers, body } of refused) {
    expect([headers['retry-after'], body]).toEqual([
      NEXT_MINUTE_SECONDS,
      expect.objectContaining({ code: 'TOO_MANY_REQUESTS', detail: expect.stringContaining('Retry-After') as unknown }),
    ]);
  }
  return refused.length;
}

type Ask = (who: Member, i: number) => Promise<PortalAnswer>;
/** Changes of each kind, with the calls of one change beyond the limit. */
const CHANGES: readonly (readonly [string, Ask, string])[] = [
  ['creates an account', ({ flooder }) => flooder.post('/api/accounts', { name: 'New' }), 'BatchGetItem'],
  ['renames it', ({ flooder, account }, i) => flooder.patch(account, { name: `Name ${i}` }), 'BatchGetItem GetItem'],
  [
    'changes nothing',
    ({ flooder, member }) => flooder.patch(member, { role: 'owner' }),
    'BatchGetItem GetItem GetItem',
  ],
  [
    'invites',
    ({ flooder, account }, i) => flooder.post(`${account}/members`, { email: `p${i}@example.com`, role: 'member' }),
    'BatchGetItem GetItem GetItem Query',
  ],
  ['makes a key', ({ flooder, project }) => flooder.post(`${project}/keys`, {}), 'BatchGetItem GetItem'],
  ['revokes a key', ({ flooder, key }) => flooder.post(`${key}/revoke`), 'BatchGetItem GetItem GetItem GetItem'],
];
/** Reads that the limit counts. */
const READS: readonly (readonly [string, Ask])[] = [
  ['usage', ({ flooder, project }) => flooder.get(`${project}/usage`)],
  ['events', ({ flooder, project }) => flooder.get(`${project}/events`)],
  ['one event', ({ flooder, project }) => flooder.get(`${project}/events/${REQUEST}`)],
  ['an export', ({ flooder, project }) => flooder.get(`${project}/events.csv`)],
  ['the audit', ({ flooder, account }) => flooder.get(`${account}/audit`)],
  ['the audit as a file', ({ flooder, account }) => flooder.get(`${account}/audit.csv`)],
];
/** Sends all kinds in turn, at the same time. */
const flood = (kinds: readonly (readonly [string, Ask, ...unknown[]])[], who: Member) =>
  Array.from({ length: FLOOD }, (_, i) => kinds[i % kinds.length]?.[1](who, i)).filter((asked) => asked !== undefined);
const countsOf = async ({ userId }: Member, kind: string): Promise<unknown[]> =>
  (await usedLimitsOf(portal, userId)).filter(({ sk }) => String(sk).startsWith(kind)).map(({ count }) => count);

describe('a session that asks as fast as it can', () => {
  test('makes so many changes a minute, of whatever kind, and the others of the team go on', async () => {
    const who = await newMember();
    const flooding = flood(CHANGES, who);
    const { other, account, project } = who;
    const others = await Promise.all([
      other.post(`${project}/keys`, {}),
      other.get(`${project}/events`),
      other.get(`${account}/audit`),
    ]);
    expect(others.map(({ status }) => status)).toEqual([201, 200, 200]);
    const answers = await Promise.all(flooding);
    expect(refusedIn(answers)).toBe(FLOOD - LIMIT);
    for (const { status } of answers) expect([200, 201, 429]).toContain(status);
    // One is from the minute before: the accepted invitation.
    expect(await countsOf(who, 'CHANGES#')).toEqual([1, LIMIT]);
  });

  test('reads so much a minute, of whatever kind, and the others of the team go on', async () => {
    const who = await newMember();
    const flooding = flood(READS, who);
    expect((await who.other.get(`${who.project}/usage`)).status).toBe(200);
    expect(refusedIn(await Promise.all(flooding))).toBe(FLOOD - LIMIT);
    expect(await countsOf(who, 'READS#')).toEqual([LIMIT]);
    // Each has its own count.
    expect((await who.flooder.patch(who.account, { name: 'New' })).status).toBe(200);
  });
});

/** The database calls of a request. */
async function callsOf(asked: () => Promise<PortalAnswer>): Promise<{ status: number; calls: string }> {
  const { commands } = recordCalls(portal.client);
  const { status } = await asked().finally(() => portal.client.middlewareStack.remove('recordCalls'));
  return { status, calls: commands.join(' ') };
}

describe('what is refused for its number costs', () => {
  let who: Member;
  beforeAll(async () => {
    who = await newMember();
    await putManyEvents(portal, who.ids.projectId, who.ids.keyId, MANY_EVENTS);
    await Promise.all([...flood(CHANGES, who), ...flood(READS, who)]);
  });

  test.each(CHANGES)('no more than to make it, when one %s', async (_name, ask, reads) => {
    expect(await callsOf(() => ask(who, 99))).toEqual({ status: 429, calls: reads });
  });

  const counted = portalOperations.filter(({ refuses }) => refuses.includes('TOO_MANY_REQUESTS'));
  test.each(counted)('no list and few reads, by $method $path', async ({ method, path, operationId }) => {
    const isOfInvitation = path.startsWith('/api/invitations/{');
    const ids: Readonly<Record<string, string>> = { ...who.ids, ...(isOfInvitation && { accountId: who.invitedTo }) };
    const filled = filledPath(path, ids);
    const { body = {}, isRead = method === 'GET' } = WHO_MAY[operationId] ?? {};
    const { units, calls, answer } = await readUnitsOf(portal, () =>
      who.flooder.request(method, filled, method === 'GET' ? {} : { body }),
    );
    expect(refusedIn([answer])).toBe(1);
    if (!isRead) return;
    expect(calls).not.toContain('Query');
    expect(units).toBeLessThanOrEqual(/\{(key|endpoint)Id\}/.test(path) ? 5 : 4);
  });
});

describe('what is refused costs nothing to write once the minute is used up:', () => {
  test('changes of a viewer, each of which counts', async () => {
    const made = scene(portal);
    const { ids, project, key } = await newMember();
    const viewer = await made.somebody();
    await made.join(ids.accountId, viewer, 'viewer');
    portal.clock.nowMs += MINUTE_MS;
    const browser = portal.browser([viewer.cookie]);
    const asks = [
      () => browser.post(`${project}/keys`, {}),
      () => browser.post(`${key}/rotate`, { graceHours: 0, ends: ids.keyId }),
      () => browser.delete(project),
    ];
    const statuses: number[] = [];
    // One more: the role comes before the minute, which is known to be used up from then on.
    for (let i = 0; i <= LIMIT + asks.length; i++) statuses.push((await asks[i % asks.length]?.())?.status ?? 0);
    expect(statuses).toEqual([...Array<number>(LIMIT + 1).fill(403), ...asks.map(() => 429)]);
    expect(await usedLimitsOf(portal, viewer.userId)).toMatchObject([{ count: 1 }, { count: LIMIT }]);
    for (const ask of asks) expect((await callsOf(ask)).calls).not.toContain('Write');
  });

  test('reads, of a person and of a token', async () => {
    const { flooder, other, account, project, ids } = await newMember();
    const { token } = await tokenOf(other, account);
    const reads = [
      () => flooder.get(`${project}/events`),
      () => program(portal, token).get(`/projects/${ids.projectId}/requests`),
    ];
    for (const ask of reads) {
      for (let i = 0; i < 61; i++) await ask();
      const { status, calls } = await callsOf(ask);
      expect([status, calls]).toEqual([429, expect.not.stringContaining('Update')]);
    }
  });
});

test('what is refused for its input, its origin or its account counts as no change', async () => {
  const who = await newMember();
  const projects = `${who.account}/projects`;
  const answers = [
    await who.flooder.post(projects, { name: '' }),
    await who.flooder.request('POST', projects, { body: { name: 'N' }, headers: { 'sec-fetch-site': 'none' } }),
    await who.flooder.post('/api/accounts/acc_4fS0pQ2mXz81LkWd/projects', { name: 'N' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([400, 403, 404]);
  // One is from the minute before: the accepted invitation.
  expect(await countsOf(who, 'CHANGES#')).toEqual([1]);
});

test('who has no session costs nothing', async () => {
  const nobody = portal.browser();
  expect(await callsOf(() => nobody.get('/api/sign-in'))).toEqual({ status: 302, calls: '' });
  const query = new URLSearchParams({ state: 'x'.repeat(43), code: 'y' }).toString();
  expect(await callsOf(() => nobody.get('/api/sign-in/callback', query))).toEqual({ status: 303, calls: '' });
  expect(await callsOf(() => nobody.post('/api/accounts', { name: 'N' }))).toEqual({ status: 401, calls: '' });
  for (const path of ['/api/session', '/api/sessions', '/api/accounts/acc_4fS0pQ2mXz81LkWd/members']) {
    expect(await callsOf(() => nobody.get(path))).toEqual({ status: 401, calls: '' });
  }
  nobody.jar.cookies.set('__Host-Http-session', `usr_${'0'.repeat(16)}.${'A'.repeat(43)}`);
  expect(await callsOf(() => nobody.post('/api/accounts', { name: 'N' }))).toEqual({ status: 401, calls: '' });
  expect(await callsOf(() => nobody.get('/api/sessions'))).toEqual({ status: 401, calls: '' });
});
