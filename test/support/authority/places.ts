import { randomBytes } from 'node:crypto';
import { suspendProject } from '../../../functions/accounts/projects/projects.ts';
import { requestIdAt } from '../../../functions/shared/ids.ts';
import type { TestBrowser, TestPortal } from '../portal.ts';
import { created } from '../portal-team.ts';
import { putEvents } from '../stored-events.ts';
import { NOW_MS } from '../times.ts';
import { someEvent } from '../usage-events.ts';
import type { Id, Ids } from './who-may.ts';

/** An id of the same kind that does not exist. */
const nobodys = ({ text }: Id): string => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');

/** The ids that paths may contain: each kind of thing in one account. */
export interface Places {
  readonly ours: Ids;
  /** Another project of ours, which the platform team has suspended. */
  readonly suspended: Ids;
  readonly theirs: Ids;
  /** Things that were closed or removed. */
  readonly gone: Readonly<Record<string, Ids>>;
}

/** One way to fill a path. */
export interface Filled {
  readonly label: string;
  readonly ids: Ids;
  readonly path: string;
}

const at = (ids: Ids, name: string): Id => ids[name] ?? { text: '' };

/**
 * Every way to fill a path of the contract: own ids, ids of others, a mix of both, closed things and unknown ids.
 */
export function fillings(template: string, { ours, suspended, theirs, gone }: Places, self?: string): Filled[] {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const some = (label: string, from: Ids): [string, Ids] => [
    label,
    Object.fromEntries(names.map((name) => [name, at(from, name)])),
  ];
  const oneOther = (label: string, name: string, text: string) => some(label, { ...ours, [name]: { text } });
  const mixed = Array.from({ length: 2 ** names.length }, (_, choice) =>
    some(
      `mixed ${choice}`,
      Object.fromEntries(names.map((name, i) => [name, at(((choice >> i) & 1) === 1 ? theirs : ours, name)])),
    ),
  );
  const all: [string, Ids][] = [
    some('own', ours),
    some('of a suspended project', suspended),
    some('theirs', theirs),
    ...mixed,
    some('of two projects', { ...suspended, projectId: at(ours, 'projectId') }),
    some('of two projects', { ...ours, projectId: at(suspended, 'projectId') }),
    ...Object.entries(gone).map(([label, ids]) => some(label, ids)),
    ...names.map((name) => oneOther(`nobody’s ${name}`, name, nobodys(at(ours, name)))),
    ...(self === undefined ? [] : [some('own member', { ...ours, memberId: { ...at(ours, 'memberId'), text: self } })]),
  ];
  const byPath = new Map<string, Filled>();
  for (const [label, ids] of all) {
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name]?.text ?? '');
    if (!byPath.has(path)) byPath.set(path, { label, ids, path });
  }
  return [...byPath.values()];
}

interface Things {
  readonly accountId: string;
  readonly projectId: string;
  readonly keyId: string;
  readonly memberId: string;
  readonly endpointId: string;
  readonly deliveryId: string;
  readonly tokenId: string;
  readonly session: Id;
}

/** The ids of a project, its key, a request, a member and an endpoint of its account, and a session. */
export function idsOf({
  accountId,
  projectId,
  keyId,
  memberId,
  endpointId,
  deliveryId,
  tokenId,
  session,
}: Things): Ids {
  const project = { accountId, projectId };
  return {
    accountId: { text: accountId, within: {} },
    projectId: { text: projectId, within: { accountId } },
    keyId: { text: keyId, within: project },
    requestId: { text: requestIdAt(NOW_MS, randomBytes), within: project },
    memberId: { text: memberId, within: { accountId } },
    endpointId: { text: endpointId, within: { accountId } },
    deliveryId: { text: deliveryId, within: { accountId, endpointId } },
    tokenId: { text: tokenId, within: { accountId } },
    sessionId: session,
  };
}

/** The same ids, where the named ones no longer exist. */
export const ended = (ids: Ids, names: readonly string[]): Ids =>
  Object.fromEntries(
    Object.entries(ids).map(([name, { text, ...more }]) => [name, names.includes(name) ? { text } : { text, ...more }]),
  );

/** Creates another project with a key in the account of a browser. */
export async function anotherProject(browser: TestBrowser, things: Things): Promise<Things> {
  const projects = `/api/accounts/${things.accountId}/projects`;
  const { projectId = '' } = await created(browser.post(projects, { name: 'Another' }));
  const { keyId = '' } = await created(browser.post(`${projects}/${projectId}/keys`, {}));
  return { ...things, projectId, keyId };
}

/** Suspends a project as the platform team does. */
export const suspend = ({ operator }: TestPortal, projectId: string): Promise<unknown> =>
  suspendProject(operator, projectId);

/** Puts the request with these ids into the ledger. */
export async function putRequest({ store }: TestPortal, ids: Ids): Promise<void> {
  const [projectId = '', keyId = '', requestId = ''] = ['projectId', 'keyId', 'requestId'].map((n) => ids[n]?.text);
  const occurredAt = new Date(NOW_MS).toISOString();
  await putEvents(store, [someEvent({ projectId, keyId, requestId, occurredAt })]);
}

/** The public id of the browser's session. */
export async function sessionIdOf(browser: TestBrowser): Promise<string> {
  const { body } = await browser.get('/api/sessions');
  const { sessions } = body as { sessions: { sessionId: string; current: boolean }[] };
  return sessions.find(({ current }) => current)?.sessionId ?? '';
}
