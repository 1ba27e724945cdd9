import type { Browser } from 'playwright-core';
import { PING_PATH } from '../../functions/operations/ping.ts';
import { change, signIn, visit, type Visit } from '../support/portal-visit.ts';
import { NOW_MS, type ClockedSite } from './site.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** When the team began. */
export const BEGIN_MS = NOW_MS - 19 * DAY_MS - 6 * HOUR_MS;

/** When a key was rotated whose grace goes on. */
const ROTATED_HOURS_AGO = 6;

/** Addresses of what was made. */
export interface Seeded {
  readonly owner: Visit;
  readonly accountId: string;
  readonly projectId: string;
  /** A key whose rotation is under way: the old one. */
  readonly rotatedKeyId: string;
}

/** Makes a team with its projects, keys and requests, through the portal and the gateway alone. */
export async function seed(site: ClockedSite, browser: Browser): Promise<Seeded> {
  const person = async (name: string) => ({ ...(await visit(browser, site.portalUrl)), email: `${name}@example.com` });
  const owner = await person('robin');
  await signIn(owner);
  const { accountId } = await change<{ accountId: string }>(owner, 'POST', '/api/accounts', { name: 'Riverside maps' });
  const account = `/api/accounts/${accountId}`;
  const newProject = async (name: string): Promise<string> =>
    (await change<{ projectId: string }>(owner, 'POST', `${account}/projects`, { name })).projectId;
  const projectId = await newProject('Trip planner');
  const otherId = await newProject('Bus tracker');
  const newKey = (project: string, body: object) =>
    change<{ keyId: string; key: string }>(owner, 'POST', `${account}/projects/${project}/keys`, body);
  const server = await newKey(projectId, { name: 'Production server', expiresInDays: 365 });
  const ci = await newKey(projectId, { name: 'CI', expiresInDays: 24 });
  const laptop = await newKey(projectId, { name: 'Laptop', expiresInDays: 90 });
  const staging = await newKey(projectId, { name: 'Staging' });
  const tracker = await newKey(otherId, { name: 'Tracker' });

  for (const [name, role] of [
    ['sam', 'member'],
    ['kim', 'owner'],
    ['noor', 'member'],
  ] as const) {
    await change(owner, 'POST', `${account}/members`, { email: `${name}@example.com`, role });
  }
  for (const name of ['sam', 'kim']) {
    const invited = await person(name);
    await signIn(invited);
    await change(invited, 'POST', `/api/invitations/${accountId}/accept`);
    await invited.context.close();
  }

  const send = async (key: string, headers: Record<string, string> = {}, body = '{}'): Promise<void> => {
    const init = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers };
    await (await fetch(site.url + PING_PATH, { method: 'POST', headers: init, body })).arrayBuffer();
  };
  const many = (key: string, count: number) => Promise.all(Array.from({ length: count }, () => send(key)));
  /** The requests of one hour. They vary with the number `hour`. */
  const hourOf = async (startMs: number, hour: number): Promise<void> => {
    await site.setTime(startMs + (hour % 50) * MINUTE_MS);
    await many(server.key, 6 + ((hour * 7) % 23));
    await many(ci.key, (hour * 5) % 9);
    if (hour % 3 === 0) await send(laptop.key, { 'Idempotency-Key': `order-${hour}` });
    if (hour % 6 === 0) await send(laptop.key, { 'Idempotency-Key': `order-${hour}` });
    if (hour % 9 === 0) await send(laptop.key, { 'Idempotency-Key': `order-${hour}` }, '{"clientRequestId":"b"}');
    if (hour % 7 === 0) await send(ci.key, {}, 'no JSON');
    if (hour % 11 === 0) await many(ci.key, 64);
    if (hour % 4 === 0) await many(tracker.key, 5);
    if (hour % 2 === 0) await many(staging.key, 2);
  };
  const firstDay = Math.ceil(BEGIN_MS / DAY_MS) * DAY_MS;
  for (let day = firstDay; day < NOW_MS - DAY_MS; day += DAY_MS) {
    for (const hour of [8, 11, 15]) await hourOf(day + hour * HOUR_MS, (day / DAY_MS) * 3 + hour);
  }
  let newStaging: { readonly key: string } | undefined;
  for (let hour = 23; hour > 0; hour--) {
    await hourOf(NOW_MS - hour * HOUR_MS - 50 * MINUTE_MS, 100 - hour);
    if (newStaging) await many(newStaging.key, 6);
    if (hour === ROTATED_HOURS_AGO) {
      // In a browser of its own: the provider remembers a sign-in for longer than the portal does.
      const rotating = await person('robin');
      await signIn(rotating);
      const rotation = `${account}/projects/${projectId}/keys/${staging.keyId}/rotate`;
      newStaging = await change<{ key: string }>(rotating, 'POST', rotation, { graceHours: 24 });
      await rotating.context.close();
    }
  }

  // The sessions have ended meanwhile.
  await signIn(owner);
  await change(owner, 'POST', `${account}/projects/${projectId}/keys/${laptop.keyId}/revoke`);
  for (const minute of [9, 7, 5, 4, 3, 2, 1]) {
    await site.setTime(NOW_MS - minute * MINUTE_MS);
    await many(server.key, minute);
    if (minute === 3) await send(laptop.key);
    if (minute === 3) await send(staging.key);
    if (minute === 1 && newStaging) await send(newStaging.key);
    if (minute === 2) await send(server.key, { 'Content-Type': 'text/plain' });
  }
  await site.setTime(NOW_MS);
  return { owner, accountId, projectId, rotatedKeyId: staging.keyId };
}
