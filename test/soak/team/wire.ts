import assert from 'node:assert/strict';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { wireClient, type WireAnswer, type WireRequest } from '../../support/http-client.ts';
import { CookieJar, signInAtProvider } from '../../support/identity.ts';
import { assertDocumented, assertPortalDocumented } from '../../support/openapi-validation.ts';
import type { PortalSite } from '../../support/portal-site.ts';

const CONNECTIONS = 50;
/** Headers that the local site adds to every response, as CloudFront does. They are not in the function's contract. */
const OF_THE_SITE: ReadonlySet<string> = new Set([
  'content-security-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'strict-transport-security',
  'x-content-type-options',
]);

/** Sends requests to portal and gateway. Each is timed, and each answer compared with its contract. */
export function measuredWire({ portalUrl, url }: Pick<PortalSite, 'portalUrl' | 'url'>) {
  const client = wireClient(CONNECTIONS, false);
  const latenciesUs: Record<string, RecordableHistogram> = {};
  const measured = async (kind: string, origin: string, request: WireRequest): Promise<WireAnswer> => {
    const answer = await client.send(origin, request);
    (latenciesUs[kind] ??= createHistogram()).record(Math.max(1, Math.round(answer.latencyMs * 1_000)));
    return answer;
  };
  return {
    latenciesUs,
    close: () => client.close(),
    ping: async (key: string): Promise<WireAnswer> => {
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
      const request = { method: 'POST', path: '/api/v1/sandbox/ping', headers, body: '{}' };
      const answer = await measured('ping', url, request);
      assertDocumented(request.method, request.path, answer);
      return answer;
    },
    /** `origin` selects the portal of each request. A whole sign-in uses one portal. */
    browser: (email: string, origin = () => portalUrl) => browser(measured, origin, email),
  };
}
export type MeasuredWire = ReturnType<typeof measuredWire>;
export type WireBrowser = ReturnType<typeof browser>;

/** Method, path and body of a request. */
export type Asked = readonly [method: string, path: string, body?: object | undefined];

/** A person's browser at the portal. */
function browser(
  measured: (kind: string, origin: string, request: WireRequest) => Promise<WireAnswer>,
  origin: () => string,
  email: string,
) {
  const jar = new CookieJar();
  const atProvider = new CookieJar();
  const sendTo = async (
    portalUrl: string,
    kind: string,
    [method, path, body]: Asked,
    extra: Readonly<Record<string, string>> = {},
  ): Promise<WireAnswer> => {
    const isChange = method !== 'GET';
    const answer = await measured(kind, portalUrl, {
      method,
      path,
      headers: {
        Cookie: jar.list().join('; '),
        'Sec-Fetch-Site': 'same-origin',
        ...(isChange && { 'Content-Type': 'application/json', Origin: portalUrl }),
        ...extra,
      },
      ...(isChange && { body: JSON.stringify(body ?? {}) }),
    });
    const cookies = ((answer.headers as Record<string, unknown>)['set-cookie'] ?? []) as readonly string[];
    jar.take(cookies);
    const headers = {
      ...Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !OF_THE_SITE.has(name))),
      ...(cookies.length > 0 && { 'set-cookie': cookies.join(', ') }),
    };
    const received = answer.text === '' ? undefined : answer.body;
    assertPortalDocumented(method, path.split('?')[0] ?? path, { ...answer, body: received, headers });
    return answer;
  };
  const send = (kind: string, method: string, path: string, body?: object): Promise<WireAnswer> =>
    sendTo(origin(), kind, [method, path, body]);
  /** Sends a request. Throws unless the answer has this status. */
  const expect = async (status: number, kind: string, method: string, path: string, body?: object) => {
    const answer = await send(kind, method, path, body);
    assert.equal(answer.status, status, `${kind}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  return {
    email,
    jar,
    sendTo,
    expect,
    signIn: async (): Promise<void> => {
      const portalUrl = origin();
      const begun = await sendTo(portalUrl, 'beginSignIn', ['GET', '/api/sign-in']);
      const back = await signInAtProvider(begun.headers.location ?? '', portalUrl, email, atProvider);
      const { status, headers } = await sendTo(portalUrl, 'signIn', ['GET', back.pathname + back.search]);
      assert.deepEqual([status, headers.location], [303, '/']);
    },
  };
}
