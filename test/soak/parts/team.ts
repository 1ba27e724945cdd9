import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { operatorOf } from '../../support/operator.ts';
import { startPortalSite } from '../../support/portal-site.ts';
import { end, onOwnDatabase } from '../../support/processes.ts';
import { latencyFigures, memoryFigures } from '../figures.ts';
import type { SoakPart } from '../part.ts';
import { processorSeconds, residentMb } from '../process-figures.ts';
import { countItems } from '../team/stored.ts';
import { actions, makeTeam, type Made, type Team, type Teammate } from '../team/teams.ts';
import { measuredWire } from '../team/wire.ts';

const TEAMS = 10;
const PEOPLE_PER_TEAM = 5;
/** The pause between two actions of one person. It stays far below 60 changes and 60 reads a minute. */
const PAUSE_MS = 2_000;
const MS_PER_MINUTE = 60_000;
const SAMPLE_INTERVAL_MS = 500;
/** How often each action is done. */
const WEIGHTS = {
  ping: 30,
  usage: 15,
  events: 12,
  session: 10,
  listKeys: 10,
  createKey: 8,
  revokeKey: 5,
  signInAgain: 4,
  changeRole: 3,
  audit: 2,
  guest: 1,
} as const;
const PARTS_OF_AN_HOUR = 12;
/** With twenty requests of many kinds a second it takes longer until all code is compiled. */
const WARM_UP_SHARE = 0.5;

/** Load on the process of `npm start`: sign-in at the local provider, pages and pings over HTTP. */
export const team: SoakPart = {
  promise: 'with fifty people at work no answer is wrong, memory is flat, and the table holds what it should',
  unit: 'minutes',
  defaultAmount: 10,
  run: async ({ seed, amount, progress }) => {
    const site = await startPortalSite({}, onOwnDatabase);
    // The log of requests is read and discarded.
    site.child.stdout.removeAllListeners('data').resume();
    const operator = operatorOf(site.databaseUrl);
    const wire = measuredWire(site);
    try {
      const before = await countItems(operator.store);
      const made: Made = { people: 0, sessions: 0, members: 0, keys: 0, changes: 0 };
      const teams: Team[] = [];
      for (let i = 0; i < TEAMS; i++) {
        const emails = Array.from({ length: PEOPLE_PER_TEAM }, (_, j) => `person-${i}-${j}@example.com`);
        teams.push(await makeTeam(wire, emails, made));
      }
      const { pid = 0 } = site.child;
      const memoryMb: number[] = [];
      const [startedAtMs, cpuBefore] = [performance.now(), processorSeconds(pid) ?? NaN];
      const durationMs = amount * MS_PER_MINUTE;
      const elapsedMs = (): number => performance.now() - startedAtMs;
      const sampling = setInterval(() => {
        const mb = residentMb(pid);
        if (mb !== undefined) memoryMb.push(mb);
        progress(Math.floor(elapsedMs() / MS_PER_MINUTE));
      }, SAMPLE_INTERVAL_MS);
      const act = actions(wire, made);
      let failed = false;
      const work = async (own: Team, teammate: Teammate, personSeed: number): Promise<void> => {
        const chances = fc.sample(chance, { seed: personSeed, numRuns: 1_000 });
        try {
          for (let i = 0; !failed && elapsedMs() < durationMs; i++) {
            const { name, at } = chances[i % chances.length] ?? { name: 'session' as const, at: 0 };
            // The owner does what only owners may do, one after the other.
            const isOwners = name === 'changeRole' || name === 'guest' || name === 'audit';
            if (!isOwners || teammate === own.people[0]) await act[name](own, teammate, at);
            await pause(PAUSE_MS * (0.5 + at));
          }
        } catch (error) {
          failed = true;
          throw error;
        }
      };
      const seeds = fc.sample(fc.nat(), { seed, numRuns: TEAMS * PEOPLE_PER_TEAM });
      try {
        const everybody = teams.flatMap((own, i) =>
          own.people.map((person, j) => work(own, person, seeds[i * PEOPLE_PER_TEAM + j] ?? 0)),
        );
        const ended = await Promise.allSettled(everybody);
        for (const one of ended) if (one.status === 'rejected') throw one.reason as Error;
      } finally {
        clearInterval(sampling);
      }
      const seconds = elapsedMs() / 1_000;
      const cpuPercent = Math.round((((processorSeconds(pid) ?? NaN) - cpuBefore) / seconds) * 100);
      const stored = await countItems(operator.store);
      const items = checkItems(before, stored, made, amount);
      const requests = Object.values(wire.latenciesUs).reduce((sum, { count }) => sum + count, 0);
      return {
        ...{ people: TEAMS * PEOPLE_PER_TEAM, requests, wrong: 0, requestsPerSecond: (requests / seconds).toFixed(1) },
        ...{ siteCpuPercent: cpuPercent, ...memoryFigures(memoryMb, WARM_UP_SHARE), items },
        ...latencyFigures(wire.latenciesUs),
      };
    } finally {
      wire.close();
      operator.close();
      await end(site);
    }
  },
};

const chance = fc.record({
  name: fc.oneof(
    ...Object.entries(WEIGHTS).map(([name, weight]) => ({
      weight,
      arbitrary: fc.constant(name as keyof typeof WEIGHTS),
    })),
  ),
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
});

/** Throws unless the table holds what was made, and no more expiring items than the time allows. */
function checkItems(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  made: Made,
  minutes: number,
): string {
  const more = (kind: string): number => (after.get(kind) ?? 0) - (before.get(kind) ?? 0);
  assert.deepEqual(
    {
      people: more('USER USER'),
      identities: more('IDENTITY IDENTITY'),
      sessions: more('USER SESSION'),
      members: more('ACCOUNT MEMBER'),
      memberships: more('USER ACCOUNT'),
      invitations: more('INVITED ACCOUNT'),
      keys: more('KEY KEY'),
      references: more('PROJECT KEYREF'),
      listings: more('ACCOUNT KEY'),
      audit: more('ACCOUNT AUDIT'),
    },
    {
      ...{ people: made.people, identities: made.people, sessions: made.sessions, members: made.members },
      ...{
        memberships: made.members,
        invitations: 0,
        keys: made.keys,
        references: made.keys,
        listings: made.keys,
        audit: made.changes,
      },
    },
  );
  // The preparation takes its minutes, too.
  const most = made.people * (minutes + 3);
  for (const kind of ['USER CHANGES', 'USER READS']) assert.ok(more(kind) <= most, `${more(kind)} of ${kind}`);
  const parts = TEAMS * Math.ceil((minutes + 3) / (60 / PARTS_OF_AN_HOUR) + 1);
  assert.ok(more('ROLLUP PART') <= parts, `${more('ROLLUP PART')} parts of hours`);
  assert.ok(more('ROLLUP HOUR') <= TEAMS * 26 && more('ROLLUP DAY') <= TEAMS * 3, 'too many hours or days');
  return [...after].map(([kind, count]) => `${kind}: ${count}`).join(', ');
}
