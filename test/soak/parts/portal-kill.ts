import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { DEFAULT_LIMITS } from '../../../functions/accounts/limits.ts';
import type { AccountStore } from '../../../functions/accounts/account-store.ts';
import { PORTAL_ENVIRONMENT } from '../../../functions/wiring.ts';
import { holdTogether } from '../../model/accounts/invariants.ts';
import type { Item } from '../../model/accounts/tables.ts';
import { availableEngines } from '../../support/engine.ts';
import { crowd } from '../../support/crowd.ts';
import { startFleet } from '../../support/fleet.ts';
import { wireClient } from '../../support/http-client.ts';
import { disturb } from '../../support/killing.ts';
import { operatorOf } from '../../support/operator.ts';
import { FREE_PORTS } from '../../support/processes.ts';
import { countsIn, storedIn } from '../../support/stored-account.ts';
import { onFreshEngine } from '../engine.ts';
import type { SoakPart } from '../part.ts';
import { signedIn, type Attempts } from '../portal-kill/asking.ts';
import { claims } from '../portal-kill/claims.ts';
import type { Team } from '../portal-kill/changes.ts';
import type { ShownKey } from '../portal-kill/keys.ts';
import { chosen, people, type People } from '../portal-kill/people.ts';

const CONNECTIONS = 50;
const PORTALS = 3;
const TEAMS = 3;
const MEMBERS_PER_TEAM = 4;
/** The kills of one round, which takes about twenty seconds on two quiet cores. */
const KILLS = 6;
/** Limits so low that people reach them, except those of a minute and of the whole round. */
const LIMITS = {
  ...DEFAULT_LIMITS,
  ...{ accountsPerPerson: 1_000, projectsPerAccount: 4, activeKeysPerProject: 4, membersPerAccount: 6 },
  ...{ changesPerMinute: 10_000 },
};
const ENVIRONMENT = {
  ...{ ...FREE_PORTS, PORTAL: 'on' },
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
    const engines = availableEngines();
    const seeds = fc.sample(fc.nat(), { seed, numRuns: amount });
    const total = { attempts: 0, unanswered: 0, unavailable: 0, auditEvents: 0, keysShown: 0, keysReissued: 0 };
    for (const [round, roundSeed] of seeds.entries()) {
      const engine = engines[round % engines.length];
      if (engine === undefined) throw new Error('No local database runs on this machine.');
      const figures = await onFreshEngine(engine, (endpoint) => killRound(endpoint, roundSeed));
      for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += figures[name];
      progress(round + 1);
    }
    return { rounds: amount, kills: amount * KILLS, ...total };
  },
};

async function killRound(endpoint: string, seed: number) {
  const operator = operatorOf(endpoint);
  const fleet = await startFleet({
    endpoint,
    leadsMs: Array<number>(PORTALS).fill(0),
    nowMs: Date.now(),
    environment: ENVIRONMENT,
  });
  const wire = wireClient(CONNECTIONS, false);
  const attempts: Attempts = [];
  try {
    // The demo data of each process.
    const before = await partitionsOf(operator.store);
    const known = claims();
    const newVisitor = (email: string) => signedIn(wire, fleet.portalUrls, attempts, email);
    const { act, makeTeam, keys } = people(known, newVisitor);
    const teams: Team[] = [];
    for (let i = 0; i < TEAMS; i++) {
      const emails = Array.from({ length: 1 + MEMBERS_PER_TEAM }, (_, j) => `person-${i}-${j}@example.com`);
      const [owner, ...others] = await Promise.all(emails.map(newVisitor));
      assert.ok(owner);
      teams.push(await makeTeam(owner, others));
    }
    await whileAtWork(teams, act, seed, () => disturb(fleet, { attempts }, [], { kills: KILLS, seed }));

    const lost = attempts.filter(({ status }) => status === undefined).length;
    assert.ok(lost > 0, 'whoever was killed had nothing to do');
    const { items, audit } = await storedBut(operator.store, before);
    holdTogether({ items, audit }, Date.now(), LIMITS);
    for (const accountId of Object.keys(audit)) {
      const { isClosed, counts, counted } = countsIn(items, accountId);
      if (!isClosed) assert.deepEqual(counts, counted, `what account ${accountId} counts`);
    }
    const auditEvents = known.compare(audit);
    await checkKeys(items, keys, fleet.urls()[0] ?? '');
    const unavailable = attempts.filter(({ status }) => status === 503).length;
    const keysReissued = Object.values(audit)
      .flat()
      .filter(({ action }) => action === 'key.reissue').length;
    return {
      attempts: attempts.length,
      unanswered: lost,
      unavailable,
      auditEvents,
      keysShown: keys.length,
      keysReissued,
    };
  } catch (error) {
    throw new Error(`${(error as Error).message}\nThe portals said: ${fleet.stderr()}`, { cause: error });
  } finally {
    wire.close();
    await fleet.stop();
    operator.close();
  }
}

/** Keeps all people active until a promise resolves, and waits for their last answers. */
async function whileAtWork(
  teams: readonly Team[],
  act: People['act'],
  seed: number,
  something: () => Promise<void>,
): Promise<void> {
  let stopped = false;
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const work = async (team: Team, person: number): Promise<void> => {
    const who = team.members[person - 1]?.visitor ?? team.owner;
    const chances = fc.sample(fc.tuple(chance, chance), {
      seed: seed + 100 * teams.indexOf(team) + person,
      numRuns: 1_000,
    });
    for (const [what, where] of chances) {
      if (stopped) return;
      await act[chosen(who === team.owner ? 'owner' : 'member', what)](team, who, where);
    }
  };
  const everybody = Promise.all(teams.flatMap((team) => [team.owner, ...team.members].map((_, i) => work(team, i))));
  const done = something();
  // The first failure is reported.
  done.catch(() => undefined);
  try {
    await Promise.race([done, everybody]);
  } finally {
    stopped = true;
    await Promise.allSettled([everybody, done]);
  }
  await Promise.all([everybody, done]);
}

/**
 * The items outside of these partitions, without the keys of their projects, and without the sessions of deleted
 * people: a process that dies after the deletion of a profile leaves them to their TTL.
 */
async function storedBut(store: AccountStore, others: ReadonlySet<string>) {
  const partitions = [...(await partitionsOf(store))].filter((pk) => !others.has(pk));
  const { items, audit } = await storedIn(store, Date.now(), partitions);
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
    for (const { key, keyId } of keys) {
      const stored = items[`KEY#${createHash('sha256').update(key).digest('hex')} KEY`];
      assert.equal(stored?.keyId, keyId, `a key that was shown is not there: ${keyId}`);
      const { status, projectId, expiresAtMs = Infinity } = stored as Item & { expiresAtMs?: number };
      const isOpen = items[`PROJECT#${String(projectId)} PROJECT`]?.status === 'active';
      const works = status === 'active' && isOpen && Date.now() < expiresAtMs;
      assert.equal(
        (await everyone.send({ key, label: keyId })).answer?.status === 200,
        works,
        `whether key ${keyId} works`,
      );
    }
  } finally {
    everyone.close();
  }
}
