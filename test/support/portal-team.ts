import { randomUUID } from 'node:crypto';
import { trustingProvider } from './changes/provider.ts';
import { testGateway } from './gateway.ts';
import { testPortal, type PortalOptions, type TestBrowser, type TestPortal } from './portal.ts';
import { testClock } from './reports.ts';
import { NOW_MS } from './times.ts';

/** A new person, signed in. No other test uses them, though tests share tables. */
export async function person(portal: TestPortal, name = 'person') {
  const email = `${name}-${randomUUID()}@example.com`;
  const browser = portal.browser();
  await browser.signIn(email);
  return Object.assign(browser, { email });
}
export type TestPerson = TestBrowser & { readonly email: string };

/** The body of a creation's response, which must be 201. */
export async function created<T = Record<string, string>>(answer: ReturnType<TestBrowser['post']>): Promise<T> {
  const { status, text, body } = await answer;
  if (status !== 201) throw new Error(`not created: ${status} ${text}`);
  return body as T;
}

/** The body of an answer to a read, which must be 200. */
export async function read<T>(answer: ReturnType<TestBrowser['get']>): Promise<T> {
  const { status, text, body } = await answer;
  if (status !== 200) throw new Error(text);
  return body as T;
}

/** All of a list, page after page: what each page has under a name. */
export async function readPages<T>(
  browser: Pick<TestBrowser, 'get'>,
  path: string,
  name: string,
  query: Readonly<Record<string, string>> = {},
): Promise<T[][]> {
  const pages: T[][] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    if (pages.length > 100) throw new Error('the pages do not end');
    const asked = new URLSearchParams({ ...query, ...(cursor && { cursor }) });
    const page: Record<string, T[]> & { cursor: string | null } = await read(browser.get(path, asked.toString()));
    pages.push(page[name] ?? []);
    ({ cursor } = page);
  }
  return pages;
}

/** A person with an account, a project and a key. */
export async function tenantOf(portal: TestPortal, owner?: TestPerson) {
  const browser = owner ?? (await person(portal, 'owner'));
  const { accountId = '' } = await created(browser.post('/api/accounts', { name: 'Team' }));
  const account = `/api/accounts/${accountId}`;
  const { projectId = '' } = await created(browser.post(`${account}/projects`, { name: 'Trips' }));
  const project = `${account}/projects/${projectId}`;
  const { keyId = '', key = '' } = await created(browser.post(`${project}/keys`, { name: 'CI' }));
  return { browser, accountId, account, projectId, project, keyId, key };
}

/** An endpoint of an account that is not called, and a delivery to it that waits. */
export async function endpointOf(owner: Pick<TestBrowser, 'post'>, account: string) {
  const body = { url: 'https://example.com/hooks', kinds: ['quota.threshold_reached'] };
  const { endpointId = '', secret = '' } = await created(owner.post(`${account}/endpoints`, body));
  const { deliveryId = '' } = await created(owner.post(`${account}/endpoints/${endpointId}/test`));
  return { endpointId, secret, deliveryId };
}

/** Invites a person to an account as its owner; the person accepts. */
export async function join(portal: TestPortal, owner: TestBrowser, accountId: string, role = 'member') {
  const browser = await person(portal, role);
  const members = `/api/accounts/${accountId}/members`;
  const { memberId = '' } = await created(owner.post(members, { email: browser.email, role }));
  const { status, text } = await browser.post(`/api/invitations/${accountId}/accept`);
  if (status !== 200) throw new Error(`not accepted: ${status} ${text}`);
  return Object.assign(browser, { memberId });
}

/** A gateway and a portal with one clock, and a person with an account, a project and a key. */
export async function stageWithTenant({
  nowMs = NOW_MS,
  random = (): number => 0,
  ...options
}: Omit<PortalOptions, 'clock'> & { readonly nowMs?: number; readonly random?: () => number } = {}) {
  const clock = testClock(nowMs);
  const portal = testPortal(trustingProvider, { clock, ...options });
  return { clock, gateway: testGateway({ clock, random }), portal, ...(await tenantOf(portal)) };
}
