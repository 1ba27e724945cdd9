import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { DEFAULT_LIMITS } from '../../../functions/accounts/limits.ts';
import type { AccountStore } from '../../../functions/accounts/account-store.ts';
import { PORTAL_ENVIRONMENT } from '../../../functions/shared/names.ts';
import { holdTogether } from '../../support/stored/invariants.ts';
import { crowd } from '../../support/crowd.ts';
import { startFleet } from '../../support/fleet.ts';
import { wireClient } from '../../support/http-client.ts';
import { disturb, whileBusy } from '../../support/killing.ts';
import { operatorOf } from '../../support/operator.ts';
import { FREE_PORTS } from '../../support/processes.ts';
import { storedItems, type Item } from '../../support/stored/items.ts';
import { countsIn } from '../../support/stored/account.ts';
import { onFreshEngine } from '../engine.ts';
import type { SoakPart } from '../part.ts';
import { signedIn, type Attempts, type Visitor } from '../portal-kill/asking.ts';
import { claims } from '../portal-kill/claims.ts';
import { people, pick, type People, type ShownKey, type Team } from '../portal-kill/people.ts';

const CONNECTIONS = 50;
const PORTALS = 3;
const TEAMS = 3;
const MEMBERS_PER_TEAM = 4;
/** The kills of one round, which takes about twenty seconds on two quiet cores. */
const KILLS = 6;
/** Limits so low that people reach them, except those of a minute and of the whole round. */
const LIMITS = {
  ...DEFAULT_LIMITS,
  accountsPerPerson: 1_000,
  projectsPerAccount: 4,
  activeKeysPerProject: 4,
  membersPerAccount: 6,
  changesPerMinute: 10_000,
};
const ENVIRONMENT = {
  ...FREE_PORTS,
  PORTAL: 'on',
  ...Object.fromEntries(
    Object.entries(LIMITS).map(([name, limit]) => [PORTAL_ENVIRONMENT[name as keyof typeof LIMITS], String(limit)]),
  ),
};

/** Portals on one database are killed while teams make every kind of change. Each round has its own database. */
export const portalKill: SoakPart = {
  promise: 'portals killed with -9 under load make every change once and whole, or not at all',
  unit: 'rounds',
  defaultAmount: 3,
  run: async ({ seed, amount, progress }) => {
    const seeds = fc.sample(fc.nat(), { seed, numRuns: amount });
    const total = { attempts: 0, unanswered: 0, unavailable: 0, auditEvents: 0, keysShown: 0, keysReissued: 0 };
    for (const [round, roundSeed] of seeds.entries()) {
      const figures = await onFreshEngine(round, (endpoint) => killRound(endpoint, roundSeed));
      for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += figures[name];
      progress(round + 1);
    }
    return { rounds: amount, kills: amount * KILLS, ...total };
  },
};

async function killRound(endpoint: string, seed: number) {
  const operator = operatorOf(endpoint);
  const leadsMs = Array<number>(PORTALS).fill(0);
  const fleet = await startFleet({ endpoint, leadsMs, nowMs: Date.now(), environment: ENVIRONMENT });
  const wire = wireClient(CONNECTIONS, false);
  const attempts: Attempts = [];
  try {
    // The demo data of each process.
    const before = await partitionsOf(operator.store);
    const known = claims();
    const newVisitor = (email: string) => signedIn(wire, fleet.portalUrls, attempts, email);
    const everybody = people(known, newVisitor);
    const teams: Team[] = [];
    for (let i = 0; i < TEAMS; i++) {
      const emails = Array.from({ length: 1 + MEMBERS_PER_TEAM }, (_, j) => `person-${i}-${j}@example.com`);
      const [owner, ...others] = await Promise.all(emails.map(newVisitor));
      assert.ok(owner);
      teams.push(await everybody.makeTeam(owner, others));
    }
    const workers = teams.flatMap((team, i) =>
      [team.owner, ...team.members.map(({ visitor }) => visitor)].map((who, person) =>
        workOf(team, who, everybody, seed + 100 * i + person),
      ),
    );
    await whileBusy(workers, () => disturb(fleet, { attempts }, [], { kills: KILLS, seed }));

    const unanswered = attempts.filter(({ status }) => status === undefined).length;
    assert.ok(unanswered > 0, 'whoever was killed had nothing to do');
    const { items, audit } = await storedBut(operator.store, before);
    holdTogether({ items, audit }, Date.now(), LIMITS);
    for (const accountId of Object.keys(audit)) {
      const { isClosed, counts, counted } = countsIn(items, accountId);
      if (!isClosed) assert.deepEqual(counts, counted, `what account ${accountId} counts`);
    }
    const events = Object.values(audit).flat();
    known.compare(events);
    const keys = teams.flatMap((team) => team.keys);
    await checkKeys(items, keys, fleet.urls()[0] ?? '');
    return {
      attempts: attempts.length,
      unanswered,
      unavailable: attempts.filter(({ status }) => status === 503).length,
      auditEvents: events.length,
      keysShown: keys.length,
      keysReissued: events.filter(({ action }) => action === 'key.reissue').length,
    };
  } catch (error) {
    throw new Error(`${(error as Error).message}\nThe portals said: ${fleet.stderr()}`, { cause: error });
  } finally {
    wire.close();
    await fleet.stop();
    operator.close();
  }
}

/** What a person does until it is over, by the seed. */
const workOf =
  (team: Team, who: Visitor, { ofOwners, ofMembers }: People, seed: number) =>
  async (isOver: () => boolean): Promise<void> => {
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    for (const [what, where] of fc.sample(fc.tuple(chance, chance), { seed, numRuns: 1_000 })) {
      if (isOver()) return;
      await pick(who === team.owner ? ofOwners : ofMembers, what)?.(team, who, where);
    }
  };

/**
 * The items outside of these partitions, without the keys of their projects, and without the sessions of deleted
 * people: a process that dies after the deletion of a profile leaves them to their TTL.
 */
async function storedBut(store: AccountStore, others: ReadonlySet<string>) {
  const partitions = [...(await partitionsOf(store))].filter((pk) => !others.has(pk));
  const { items, audit } = await storedItems(store, Date.now(), partitions);
  const own = Object.entries(items).filter(([name, { projectId }]) => {
    const [pk = '', sk = ''] = name.split(' ');
    const isLeft = sk.startsWith('SESSION#') && !(`${pk} USER` in items);
    return !isLeft && !others.has(`PROJECT#${String(projectId)}`);
  });
  return { items: Object.fromEntries(own), audit };
}

async function partitionsOf({ client, tables }: AccountStore): Promise<Set<string>> {
  const pages = paginateScan({ client }, { TableName: tables.gateway, ConsistentRead: true });
  return new Set((await Array.fromAsync(pages)).flatMap(({ Items = [] }) => Items.map(({ pk }) => String(pk))));
}

/** Throws unless each shown key is stored as shown, and works only if its item allows it. */
async function checkKeys(items: Readonly<Record<string, Item>>, keys: readonly ShownKey[], url: string): Promise<void> {
  const everyone = crowd(() => [url]);
  try {
    for (const { key, id: keyId } of keys) {
      const stored = items[`KEY#${createHash('sha256').update(key).digest('hex')} KEY`];
      assert.equal(stored?.keyId, keyId, `a key that was shown is not there: ${keyId}`);
      const { status, projectId, expiresAtMs = Infinity } = stored as Item & { expiresAtMs?: number };
      const isOpen = items[`PROJECT#${String(projectId)} PROJECT`]?.status === 'active';
      const works = status === 'active' && isOpen && Date.now() < expiresAtMs;
      const { answer } = await everyone.send({ key, label: keyId });
      assert.equal(answer?.status === 200, works, `whether key ${keyId} works`);
    }
  } finally {
    everyone.close();
  }
}
