import type { Browser } from 'playwright-core';
import { DEMO_EMAIL } from '../../local/identity/people.ts';
import { served } from '../support/served.ts';
import { change, read, signIn, visit, type Visit } from '../support/portal-visit.ts';
import type { ClockedSite } from './site.ts';

/** Addresses of what was made. */
export interface Seeded {
  readonly owner: Visit;
  readonly accountId: string;
  readonly projectId: string;
  /** A key whose rotation is under way: the old one. */
  readonly rotatedKeyId: string;
}

interface Listed {
  readonly accounts: readonly { readonly accountId: string }[];
  readonly projects: readonly { readonly projectId: string; readonly name: string }[];
  readonly keys: readonly { readonly keyId: string; readonly state: string; readonly replacedBy: string | null }[];
}

/** Signs in the demo person, whose account `npm start` has filled. */
export async function seed(site: ClockedSite, browser: Browser): Promise<Seeded> {
  const owner = { ...(await visit(browser, site.portalUrl)), email: DEMO_EMAIL };
  // Answered once all is there.
  await (await fetch(`${site.portalUrl}/api/session`)).arrayBuffer();
  await signIn(owner);
  const ask = async (path: string): Promise<Listed> => (await read(owner, path)).json() as Promise<Listed>;
  const accountId = (await ask('/api/session')).accounts[0]?.accountId ?? '';
  const { projects } = await ask(`/api/accounts/${accountId}/projects`);
  const projectId = projects.find(({ name }) => name === 'Trip planner')?.projectId ?? '';
  const { keys } = await ask(`/api/accounts/${accountId}/projects/${projectId}/keys`);
  const rotatedKeyId = keys.find(({ replacedBy }) => replacedBy !== null)?.keyId ?? '';
  await addEndpoints(owner, accountId);
  return { owner, accountId, projectId, rotatedKeyId };
}

/** Two webhook endpoints: one takes a test, and the other has a second secret. */
async function addEndpoints(owner: Visit, accountId: string): Promise<void> {
  const { url: receiver } = await served((_request, response) => response.writeHead(204).end());
  const endpoints = `/api/accounts/${accountId}/endpoints`;
  const add = async (url: string, kinds: readonly string[]): Promise<string> =>
    `${endpoints}/${(await change<{ endpointId: string }>(owner, 'POST', endpoints, { url, kinds })).endpointId}`;
  await change(owner, 'POST', `${await add('https://hooks.example.com/gateway', ['quota.threshold_reached'])}/rotate`);
  await change(
    owner,
    'POST',
    `${await add(`${receiver.replace('127.0.0.1', 'localhost')}/hooks`, ['key.expiring', 'key.cap_reached'])}/test`,
  );
}
