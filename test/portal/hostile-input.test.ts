import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cursorOf } from '../../functions/portal/request/list-query.ts';
import { portalTelemetry } from '../../functions/portal/runtime.ts';
import { memberNames } from '../../functions/shared/http/input.ts';
import { IS_FULL } from '../support/extent.ts';
import { HOSTILE_NAMES } from '../support/hostile/names.ts';
import { startProvider, type TestProvider } from '../support/identity.ts';
import { filledPath, NOBODYS_IDS, portalOperations } from '../support/portal-contract.ts';
import { created, tenantOf } from '../support/portal-team.ts';
import { PORTAL, testPortal, type PortalAnswer, type PortalRequest, type TestPortal } from '../support/portal.ts';
import { MINUTE_MS } from '../support/times.ts';
import { captureLines } from '../support/secrets/lines.ts';

const SECOND_MS = 1_000;
const MARKER = 'h0stile-m4rker';
/** A landing tries one in three with each operation, by turns: another third with the next. */
const someFor = <Value>(nth: number, values: readonly Value[]): Value[] =>
  values.filter((_, i) => IS_FULL || i % 3 === nth % 3);
const OWN_PAGE = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };

let provider: TestProvider;
let portal: TestPortal;
let own: Awaited<ReturnType<typeof tenantOf>>;
beforeAll(async () => {
  provider = await startProvider(PORTAL);
  portal = testPortal(provider);
  own = await tenantOf(portal);
});
afterAll(() => provider.stop());

const codeOf = ({ status, body }: PortalAnswer): unknown => [status, (body as { code?: unknown } | undefined)?.code];
const signedIn = (request: PortalRequest): Promise<PortalAnswer> =>
  portal.send({ headers: OWN_PAGE, ...request, cookies: own.browser.jar.list() });

describe('lines and headers of the caller’s own', () => {
  const INJECTED = [
    `${MARKER}\r\nx-injected: 1\r\n\r\n<html>`,
    `%0d%0ax-injected:%201${MARKER}`,
    `"}\u2028{"level":"${MARKER}"`,
  ];
  const HEADERS = [
    ...['host', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-for', 'x-forwarded-port', 'forwarded', 'via'],
    ...['x-original-url', 'x-rewrite-url', 'x-http-method-override', 'x-amzn-trace-id', 'x-service-request-id'],
    ...['user-agent', 'referer', 'origin', 'accept', 'accept-language', 'idempotency-key', 'x-service-background'],
    ...['authorization', 'content-type', 'cookie'],
  ];
  const QUERIES = ['returnTo', 'code', 'state', 'iss', 'error', 'error_description', 'cursor', 'since', 'until', 'by'];
  QUERIES.push('keyId', 'event', 'limit', 'actor', 'action', 'occurredAt', '__proto__');

  /** No answer contains the input, and each header is one line. */
  const expectOwnWords = (answer: PortalAnswer): void => {
    expect(answer.headers).not.toHaveProperty('x-injected');
    const { location: _where, ...headers } = answer.headers;
    expect(JSON.stringify([headers, answer.cookies, answer.text])).not.toContain(MARKER);
    for (const value of [...Object.values(answer.headers), ...answer.cookies]) expect(value).toMatch(/^[\x20-\x7e]*$/);
  };
  test('get into no header, no answer and no line of the log', async () => {
    const { requests: entries, warnings } = portal.telemetry;
    const [before, warned] = [entries.length, warnings.length];
    for (const [nth, operation] of portalOperations.entries()) {
      const { method } = operation;
      const path = operation.path
        .replace('{accountId}', own.accountId)
        .replaceAll(/\{\w+\}/g, encodeURIComponent(MARKER));
      for (const text of someFor(nth, INJECTED)) {
        const headers = Object.fromEntries(HEADERS.map((name) => [name, text]));
        const query = new URLSearchParams(QUERIES.map((name): [string, string] => [name, text])).toString();
        const answers = [
          await portal.send({ method, path, headers: { ...headers, ...OWN_PAGE }, query, cookies: [text] }),
          await portal.send({
            method,
            path,
            headers: { ...headers, 'sec-fetch-site': 'same-origin' },
            body: text,
            cookies: own.browser.jar.list(),
          }),
          await signedIn({ method, path: `${path}${encodeURIComponent(text)}`, query }),
        ];
        answers.forEach(expectOwnWords);
      }
    }
    const captured = captureLines();
    const telemetry = portalTelemetry();
    const report = [...entries.slice(before)];
    for (const entry of report) telemetry.request(entry);
    for (const { message, cause } of warnings.slice(warned)) telemetry.warn(message, 'id', cause);
    captured.stop();
    const lines = captured.lines.join('').split('\n').filter(Boolean);
    expect(lines.length).toBeGreaterThanOrEqual(report.length);
    for (const line of lines) expect(typeof JSON.parse(line)).toBe('object');
    expect(captured.lines.join('')).not.toContain(MARKER);
  });

  test('get into no refusal of a member of a body or of a parameter, whatever it is', async () => {
    const values = [MARKER, -1e300, null, [MARKER], [[]], { [MARKER]: MARKER }, '😀'.repeat(4_000)];
    const paths = { ...NOBODYS_IDS, accountId: own.accountId, projectId: own.projectId, keyId: own.keyId };
    let refused = 0;
    for (const [nth, { method, path, body }] of portalOperations.entries()) {
      portal.clock.nowMs += MINUTE_MS;
      const to = filledPath(path, paths);
      const members = memberNames(body ?? {});
      const queries = someFor(nth, [...QUERIES, MARKER]).flatMap((name) => [
        `${name}=${MARKER}`,
        `${name}=1&${name}=2`,
      ]);
      const answers = await Promise.all([
        ...members.flatMap((name) =>
          someFor(nth, values).map((value) => signedIn({ method, path: to, body: { [name]: value } })),
        ),
        ...(method === 'GET' ? queries.map((query) => signedIn({ path: to, query })) : []),
      ]);
      for (const answer of answers.filter(({ status }) => status >= 400)) {
        expectOwnWords(answer);
        expect((answer.body as { detail: string }).detail).not.toMatch(/invalid |expected|received|\d{3},/i);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(100);
  });

  test('say nothing of where the portal is', async () => {
    const names = ['host', 'x-forwarded-host', 'forwarded', 'x-forwarded-proto', 'x-original-url', 'origin'];
    const headers = Object.fromEntries(names.map((name) => [name, 'evil.example']));
    const begun = await portal.send({ path: '/api/sign-in', headers: { ...headers, 'sec-fetch-site': 'none' } });
    const url = new URL(begun.headers.location ?? '');
    expect([url.origin, url.searchParams.get('redirect_uri')]).toEqual([
      provider.issuer,
      `${PORTAL}/api/sign-in/callback`,
    ]);
    const browser = portal.browser();
    await browser.signIn('host@example.com');
    const ended = await browser.request('POST', '/api/sign-out', { headers, body: {} });
    expect(JSON.stringify([ended.headers, ended.body])).not.toContain('evil');
    expect((ended.body as { location: string }).location).toContain(encodeURIComponent(`${PORTAL}/`));
  });
});

describe('names that are meant to harm', () => {
  test.each(Object.entries(HOSTILE_NAMES))(
    '(%s) are kept as they are, and told to nobody by logs or errors',
    async (_kind, name) => {
      const { account, project, keyId } = own;
      const before = portal.telemetry.requests.length;
      const kept = name.trim().normalize('NFC');
      for (const path of [account, project, `${project}/keys/${keyId}`]) {
        portal.clock.nowMs += SECOND_MS;
        const { status, body } = await own.browser.patch(path, { name });
        expect([status, (body as { name: string }).name]).toEqual([200, kept]);
      }
      const refusals = [
        await own.browser.patch(account, { name: `${name}\n`.repeat(20) }),
        await own.browser.post(`${account}/members`, { email: name, role: 'owner' }),
        await own.browser.post(`${account}/members`, { email: 'a@example.com', role: name }),
      ];
      for (const answer of refusals) {
        expect(codeOf(answer)).toEqual([400, 'INVALID_REQUEST']);
        expect(answer.text).not.toContain(JSON.stringify(name).slice(1, -1));
      }
      expect(JSON.stringify(portal.telemetry.requests.slice(before))).not.toContain(JSON.stringify(name).slice(1, -1));
      const { events } = (await own.browser.get(`${account}/audit`, 'limit=3')).body as {
        events: { after: { name: string } }[];
      };
      // An account's name may name a person, so the audit does not store it.
      expect(events.map(({ after }) => after.name)).toEqual([kept, kept, 'changed']);
    },
  );
});

describe('bodies that are meant to harm', () => {
  const { prototype } = Object;
  const members = Object.getOwnPropertyNames(prototype);
  const post = (body: unknown, headers: PortalRequest['headers'] = OWN_PAGE) =>
    signedIn({ method: 'PATCH', path: own.project, body, headers });

  test.each([
    ['a prototype', '{"__proto__":{"name":"polluted","polluted":1}}'],
    ['a constructor', '{"constructor":{"prototype":{"polluted":1}}}'],
    ['a prototype in a member', '{"name":{"__proto__":{"length":5}}}'],
    ['members of every object', JSON.stringify(Object.fromEntries(members.map((name) => [name, 1])))],
    ['a list', '{"name":["a"]}'],
    ['a number', '{"name":5}'],
    ['a text of objects', '{"name":{"toString":"x"}}'],
    ['half a character', '{"name":"\\ud800"}'],
    ['an end of text', '{"name":"a\\u0000b"}'],
    ['a member twice, once escaped', '{"name":"a","\\u006eame":"b"}'],
    ['great depth', `{"name":${'{"a":'.repeat(2_600)}1${'}'.repeat(2_600)}}`],
    ['more than one', '{"name":"a"}{"name":"b"}'],
    ['UTF-16', Buffer.from('{"name":"a"}', 'utf16le')],
    ['compressed bytes', new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0])],
  ])('are refused (%s), and leave nothing behind', async (_what, body) => {
    expect(codeOf(await post(body))).toEqual([400, 'INVALID_REQUEST']);
    expect(Object.getOwnPropertyNames(prototype)).toEqual(members);
    expect({}).not.toHaveProperty('polluted');
  });

  test.each([
    [
      'unknown members',
      { name: 'a', accountId: 'acc_0000000000000000', status: 'closed', quotaLimit: 9, __proto__x: 1 },
    ],
    ['a prototype beside what is asked for', '{"name":"a","__proto__":{"name":"b"},"constructor":1}'],
    ['a charset that it is not in', { name: 'a' }],
  ])('(%s) change what is asked for, and no more', async (what, body) => {
    const headers = {
      ...OWN_PAGE,
      ...(what.startsWith('a charset') && { 'content-type': 'application/json; charset=utf-16' }),
    };
    const { quotaLimit } = (await signedIn({ path: own.project })).body as { quotaLimit: number };
    const answer = await post(body, headers);
    expect(answer.body).toMatchObject({ name: 'a', status: 'active', quotaLimit });
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('a name may be %s', async (name) => {
    expect((await post({ name })).body).toMatchObject({ name });
    expect(codeOf(await signedIn({ path: own.account.replace(/[^/]+$/, `${name}/projects`) }))).toEqual([
      404,
      'NOT_FOUND',
    ]);
    expect((await signedIn({ path: `${own.account}/projects`, query: `${name}=1` })).status).toBe(200);
  });

  test.each([
    ['at the limit', 16_384, 200],
    ['over it', 16_385, 413],
    ['far over it', 9_000_000, 413],
  ])('%s of size are taken or not', async (_what, bytes, status) => {
    const [start, end] = ['{"name":"a","x":"', '"}'];
    const body = start + 'x'.repeat(bytes - start.length - end.length) + end;
    expect((await post(body)).status).toBe(status);
  });
});

describe('cursors', () => {
  const AT = '2030-01-15T10:00:30.000Z#01b92504-8230-7a78-958c-786de2921d1b';

  test('that are another list’s, damaged or made up are refused with the field, and tell nothing', async () => {
    const other = await tenantOf(portal);
    const { projectId: second = '' } = await created(own.browser.post(`${own.account}/projects`, { name: 'Second' }));
    const good = cursorOf(own.projectId, AT);
    const ofOthers = [second, other.projectId, other.accountId, ''].map((listOf) => cursorOf(listOf, AT));
    const damaged = [good.slice(0, -1), good.slice(1), `${good}=`, `${good}A`, `${good}%00`, good.toUpperCase()];
    const madeUp = ['', 'A', '{}', 'null', 'x'.repeat(8_000), Buffer.from(AT).toString('base64url')];
    const noPositions = ['PROJECT', `${AT}\u0000`, `x${AT}`, `${AT}#PROJECT#`, AT.replace('000Z', '000')];
    const wrong = [...ofOthers, ...damaged, ...madeUp, ...noPositions.map((at) => cursorOf(own.projectId, at))];
    const told = new Set<string>();
    for (const list of ['events', 'events.csv', 'audit', 'audit.csv']) {
      const path = list.startsWith('audit') ? `${own.account}/${list}` : `${own.project}/${list}`;
      const cursors = list.startsWith('audit')
        ? [...wrong, good, cursorOf(own.account, AT)]
        : [...wrong, cursorOf(own.accountId, AT)];
      for (const cursor of cursors) {
        const answer = await signedIn({ path, query: new URLSearchParams({ cursor }).toString() });
        const { requestId: _id, ...body } = answer.body as Record<string, unknown>;
        told.add(JSON.stringify([answer.status, body]));
      }
    }
    expect([...told]).toEqual([expect.stringContaining('"field":"cursor"')]);
    expect([...told][0]).toMatch(/^\[400,.*"code":"INVALID_REQUEST"/);
  });
});
