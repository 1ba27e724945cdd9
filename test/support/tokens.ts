import type { PortalAnswer, TestBrowser, TestPortal } from './portal.ts';
import { created } from './portal-team.ts';

/** A program with a management token: no cookies, no page. */
export function program(portal: TestPortal, token: string | undefined) {
  const request = (
    method: string,
    path: string,
    { body, query = '', headers = {} }: { body?: unknown; query?: string; headers?: Record<string, string> } = {},
  ): Promise<PortalAnswer> =>
    portal.send({
      method,
      path: `/manage/v1${path}`,
      query,
      body,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    });
  return {
    request,
    get: (path: string, query = '') => request('GET', path, { query }),
    post: (path: string, body?: unknown, headers?: Record<string, string>) =>
      request('POST', path, { body, ...(headers && { headers }) }),
    patch: (path: string, body?: unknown) => request('PATCH', path, { body }),
  };
}

export interface TokenBody {
  readonly name?: string;
  readonly scopes?: readonly string[];
  readonly expiresInDays?: number;
  readonly projectId?: string;
}

/** Every scope. */
export const ALL_SCOPES = ['keys:read', 'keys:write', 'usage:read'];

/** Makes a token of an account as its owner, of every scope and project unless the body says otherwise. */
export const tokenOf = (
  owner: Pick<TestBrowser, 'post'>,
  account: string,
  body: TokenBody = {},
): Promise<{ tokenId: string; token: string }> =>
  created(owner.post(`${account}/tokens`, { name: 'CI', scopes: ALL_SCOPES, expiresInDays: 30, ...body }));
