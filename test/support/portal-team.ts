import { randomUUID } from 'node:crypto';
import type { TestBrowser, TestPortal } from './portal.ts';

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
