import { createKey, revokeKey } from '../../functions/accounts/keys/api-keys.ts';
import type { KeyDetails } from '../../functions/accounts/keys/new-keys.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { findOrMakePerson } from '../../functions/accounts/people/identities.ts';
import { acceptInvitation } from '../../functions/accounts/team/invitation-answers.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { createProject } from '../../functions/accounts/projects/projects.ts';
import { SANDBOX_MODE, SANDBOX_SCOPE } from '../../functions/shared/credentials/credential-text.ts';
import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE, type QuotaPeriod } from '../../functions/shared/time.ts';
import { createClient, documentClient } from '../../functions/shared/store/client.ts';
import { DEFAULT_RPM } from '../../functions/shared/names.ts';
import { localAccountStore } from '../account-store.ts';
import { LOCAL_ISSUER, personOf } from '../identity/people.ts';
import type { DatabaseAddress, LocalSettings } from '../settings.ts';
import { AGENTS, lane, type Lane } from './lane.ts';
import { asDemoMember, asDemoPerson } from './people.ts';
import { busyHour, DEMO_AGE_MS, hoursUntil, several } from './traffic.ts';

/** A quota that is used up some days before the end of a month. */
const BUSY_QUOTA_UNITS = 700;
const CALM_QUOTA_UNITS = 10_000;
const CI_RPM = 5;
const GRACE_MS = 7 * MS_PER_DAY;

interface DemoAccount {
  readonly store: AccountStore;
  readonly accountId: string;
  /** The demo person, who owns it. */
  readonly userId: string;
  readonly quotaPeriod: QuotaPeriod;
  /** Stops the filling between two hours of requests, so the data stay consistent. */
  readonly signal: AbortSignal;
}

/** Fills the demo account on a local database: {@link fillDemo}. */
export async function fillLocal(
  address: DatabaseAddress,
  { tables, keyTagSecrets, quotaPeriod }: Pick<LocalSettings, 'tables' | 'keyTagSecrets' | 'quotaPeriod'>,
  made: Pick<DemoAccount, 'accountId' | 'userId'>,
  signal: AbortSignal,
): Promise<void> {
  const client = createClient(address);
  const store = localAccountStore(documentClient(client), tables, keyTagSecrets, quotaPeriod);
  await fillDemo({ ...made, store, quotaPeriod, signal }).finally(() => client.destroy());
}

/**
 * Gives the new demo account a past: two projects with a month of requests, keys in every state, members and an
 * invitation. The functions of portal and gateway write all of it, on clocks that are set, so each counter equals its
 * events. It takes some seconds. An account that exists already stays unchanged.
 */
async function fillDemo(account: DemoAccount): Promise<void> {
  const nowMs = Math.floor(Date.now() / MS_PER_MINUTE) * MS_PER_MINUTE;
  await Promise.all([invite(account, nowMs), busyProject(account, nowMs), calmProject(account, nowMs)]);
}

const laneOf = async ({ store, accountId, userId, quotaPeriod }: DemoAccount, startMs: number): Promise<Lane> =>
  lane(await asDemoMember(store, userId, accountId), quotaPeriod, startMs);

type Chosen = Pick<KeyDetails, 'unitsLimit' | 'unitsPeriod' | 'capOf'> & {
  readonly days?: number;
  readonly rpm?: number;
};

const newKey = (
  store: AccountStore,
  projectId: string,
  name: string,
  { days, rpm = DEFAULT_RPM, ...cap }: Chosen = {},
) =>
  createKey(store, {
    projectId,
    name,
    rpm,
    ...cap,
    mode: SANDBOX_MODE,
    scopes: new Set([SANDBOX_SCOPE]),
    lifetimeMs: days === undefined ? undefined : days * MS_PER_DAY,
  });

/**
 * Keys that are active, expire soon, have expired, were revoked, are in a grace after a rotation, were never used, have a
 * cap by day, share a budget.
 */
async function busyProject(account: DemoAccount, nowMs: number): Promise<void> {
  const { accountId, signal } = account;
  const past = await laneOf(account, nowMs - DEMO_AGE_MS + MS_PER_HOUR);
  const project = { accountId, name: 'Trip planner', quotaLimit: BUSY_QUOTA_UNITS };
  const projectId = await createProject(past.store, project);
  const create = (name: string, chosen?: Chosen) => newKey(past.store, projectId, name, chosen);
  const [server, trial] = [await create('Production server', { days: 365 }), await create('Trial', { days: 14 })];
  const laptop = await create('Laptop', { days: 90 });
  let [ci, staging]: (string | undefined)[] = [];
  /** Single events, each with its age; the oldest first. */
  const events: { readonly beforeMs: number; readonly happens: () => Promise<void> }[] = [
    {
      beforeMs: 25 * MS_PER_DAY,
      happens: async () =>
        void (ci = (await create('CI', { days: 30, rpm: CI_RPM, unitsLimit: 40, unitsPeriod: 'day' })).key),
    },
    { beforeMs: 14 * MS_PER_DAY, happens: () => past.ping(trial.key) },
    { beforeMs: 2 * MS_PER_DAY, happens: () => stage() },
    { beforeMs: 3 * MS_PER_HOUR, happens: async () => void (await create('Backup server')) },
    { beforeMs: 2 * MS_PER_HOUR, happens: () => run() },
  ];
  const stage = async (): Promise<void> => {
    const old = await create('Staging');
    staging = old.key;
    const { key } = await rotateKey(past.store, projectId, old.keyId, GRACE_MS);
    await several(past, key, 3, AGENTS.staging);
  };
  /** A job whose two programs spend from one budget. */
  const run = async (): Promise<void> => {
    const first = await create('Import', { unitsLimit: 10, unitsPeriod: 'once' });
    const worker = await create('Import worker', { capOf: first.keyId });
    await several(past, first.key, 2, AGENTS.ci);
    await several(past, worker.key, 5, AGENTS.ci);
  };
  for (const { atMs, nth } of hoursUntil(nowMs)) {
    while (events[0] && atMs > nowMs - events[0].beforeMs) await events.shift()?.happens();
    if (signal.aborted) return;
    past.at(atMs);
    await busyHour(past, { server: server.key, ci, laptop: laptop.key, staging }, nth);
  }
  past.at(nowMs - 14 * MS_PER_MINUTE);
  await revokeKey(past.store, projectId, laptop.keyId);
  await several(past, server.key, 6);
  await past.ping(laptop.key);
  past.at(nowMs - 4 * MS_PER_MINUTE);
  await several(past, server.key, 4);
  await past.ping(server.key, { headers: { 'content-type': 'text/plain' } });
  await several(past, server.key, 2);
}

async function calmProject(account: DemoAccount, nowMs: number): Promise<void> {
  const { accountId, signal } = account;
  const past = await laneOf(account, nowMs - DEMO_AGE_MS + 2 * MS_PER_HOUR);
  const projectId = await createProject(past.store, { accountId, name: 'Bus tracker', quotaLimit: CALM_QUOTA_UNITS });
  const { key } = await newKey(past.store, projectId, 'Tracker');
  for (const { atMs, nth } of hoursUntil(nowMs).filter((hour) => hour.nth % 4 === 0)) {
    if (signal.aborted) return;
    past.at(atMs);
    await several(past, key, 2 + (nth % 3), AGENTS.tracker);
  }
}

/** Two members and an invitation that waits. */
async function invite({ store, accountId, userId }: DemoAccount, nowMs: number): Promise<void> {
  const at = (days: number): AccountStore => ({ ...store, clock: { now: () => nowMs - days * MS_PER_DAY } });
  for (const [name, role, days] of [
    ['kim', 'owner', 29],
    ['sam', 'member', 26],
    ['noor', 'member', 5],
  ] as const) {
    const person = personOf(`${name}@example.com`);
    if (!person) continue;
    const owner = await asDemoMember(at(days), userId, accountId);
    await inviteMember(owner, accountId, { email: person.email, role });
    if (name === 'noor') continue;
    const profile = { email: person.email, name: person.name, emailVerified: true };
    const theirId = await findOrMakePerson(at(days), { issuer: LOCAL_ISSUER, subject: person.subject, ...profile });
    await acceptInvitation(asDemoPerson(at(days - 1), theirId), accountId, profile);
  }
}
