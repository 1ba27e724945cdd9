import assert from 'node:assert/strict';
import type { WireAnswer, WireClient } from '../../support/http-client.ts';
import { CookieJar, signInAtProvider } from '../../support/identity.ts';
import { assertPortalDocumented } from '../../support/openapi-validation.ts';

/** Headers that the local site adds to every response, as CloudFront does. They are not in the function's contract. */
const OF_THE_SITE: ReadonlySet<string> = new Set([
  'content-security-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'strict-transport-security',
  'x-content-type-options',
]);

/** Method, path and body of a request. */
export type Asked = readonly [method: string, path: string, body?: object | undefined];

/** A person's browser at the portal; `origin` selects the portal of a sign-in. Each answer is as its contract says. */
export function portalBrowser(client: WireClient, origin: () => string, email: string) {
  const jar = new CookieJar();
  const atProvider = new CookieJar();
  const send = async (
    portalUrl: string,
    [method, path, body]: Asked,
    extra: Readonly<Record<string, string>> = {},
  ): Promise<WireAnswer> => {
    const isChange = method !== 'GET';
    const answer = await client.send(portalUrl, {
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
  return {
    email,
    jar,
    send,
    signIn: async (): Promise<void> => {
      const portalUrl = origin();
      const begun = await send(portalUrl, ['GET', '/api/sign-in']);
      const back = await signInAtProvider(begun.headers.location ?? '', portalUrl, email, atProvider);
      const { status, headers } = await send(portalUrl, ['GET', back.pathname + back.search]);
      assert.deepEqual([status, headers.location], [303, '/']);
    },
  };
}
