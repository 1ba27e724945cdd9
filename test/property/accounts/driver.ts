import { randomUUID } from 'node:crypto';
import { deepStrictEqual, ok } from 'node:assert/strict';
import { trustingProvider } from '../../support/changes/provider.ts';
import { testGateway } from '../../support/gateway.ts';
import { testPortal } from '../../support/portal.ts';
import { testClock } from '../../support/reports.ts';
import { holdTogether } from '../../support/stored/invariants.ts';
import { alive, storedItems, type Stored } from '../../support/stored/items.ts';
import { MINUTE_MS, NOW_MS } from '../../support/times.ts';
import { notePartitions } from '../../support/written-items.ts';
import { BROWSERS, isByPerson, OF_MEMBERS, OF_OWNERS, type Asked, type Command, type Step } from './commands.ts';
import { perform, type Answer, type Real } from './perform.ts';
import { ABSOLUTE_MS, IDLE_MS, itemsAt, nextEndMs, resolve, roleIn } from './resolve.ts';

/** Limits so small that sequences reach them. */
const LIMITS = {
  accountsPerPerson: 2,
  projectsPerAccount: 2,
  projectsPerPeriod: 3,
  activeKeysPerProject: 3,
  membersPerAccount: 3,
  invitationsPerAddress: 2,
  changesPerMinute: 8,
  readsPerMinute: 3,
  signInsPerMinute: 3,
} as const;

interface Done {
  readonly asked: Asked;
  readonly answer: Answer;
}

/**
 * Runs one sequence at a time on the real portal, the gateway and the admin CLI, and throws at the first answer or item
 * that breaks an invariant, after each step. Counts the answers by their kind.
 */
export function accountsRunner(tally = new Map<string, number>()) {
  const clock = testClock();
  /** Partitions of the Gateway table that the functions and the platform team have tried to write to. */
  const written = new Set<string>();
  const sessionLimits = { idleMs: IDLE_MS, absoluteMs: ABSOLUTE_MS };
  const portal = testPortal(trustingProvider, { clock, limits: LIMITS, sessionLimits });
  const gateway = testGateway({ clock });
  // What the platform team makes stands where nobody else may have written before a refused attempt does.
  for (const client of [portal.client, gateway.client, gateway.operatorClient]) notePartitions(client, written);

  const run = async (steps: readonly Step[]): Promise<void> => {
    clock.nowMs = NOW_MS;
    written.clear();
    portal.telemetry.warnings.length = 0;
    const tag = randomUUID().slice(0, 13);
    const real: Real = { browsers: Array.from({ length: BROWSERS }, () => portal.browser()), gateway };
    const [keys, sessionIds] = [new Map<string, string>(), new Set<string>()];
    let stored: Stored = { items: {}, audit: {} };
    const known = () => ({ stored, nowMs: clock.nowMs, keys, sessionIds: [...sessionIds] });

    const together = async (commands: readonly Command[]): Promise<void> => {
      const asked = commands.map((command) => resolve(known(), command, tag));
      const done = await Promise.all(
        asked.map(async (one): Promise<Done> => ({ asked: one, answer: await perform(real, one) })),
      );
      const before = stored;
      stored = await storedItems(gateway.store, clock.nowMs, written);
      for (const one of done) {
        note(tally, one);
        learn(one.answer, keys, sessionIds);
        checkAnswer(one, before, stored, clock.nowMs);
      }
      const [first] = done;
      // A ping that is refused under a quota counts in its minute all the same.
      if (done.length === 1 && first?.answer.code !== undefined && first.asked.do !== 'ping') {
        const [left, was] = [stored, before].map((one) => unpersonal(one, clock.nowMs));
        deepStrictEqual(left, was, `a refused ${first.asked.do} changes nothing`);
      }
      holdTogether(stored, clock.nowMs, LIMITS);
      clock.nowMs += 1;
    };

    for (const step of [...BEGINNING, ...steps]) {
      if (step.do === 'wait') clock.nowMs += step.ms;
      else if (step.do === 'waitFor') clock.nowMs = Math.max(clock.nowMs, endOf(step) + step.offsetMs);
      else await together(step.do === 'together' ? step.commands : [step]);
    }
    function endOf({ end }: Step & { do: 'waitFor' }): number {
      return nextEndMs(known(), end) ?? 0;
    }
    for (const { projectId, quotaLimit } of itemsAt(stored, 'PROJECT#', 'PROJECT')) {
      const events = await gateway.events(String(projectId));
      const counted = sum(itemsAt(stored, `PROJECT#${String(projectId)}`, 'QUOTA#').map(({ units }) => Number(units)));
      deepStrictEqual(sum(events.map(({ units }) => units)), counted, 'the recorded units are the counted ones');
      ok(counted <= Number(quotaLimit), 'the quota is passed');
    }
    deepStrictEqual(portal.telemetry.failures, []);
    const warnings = new Set(portal.telemetry.warnings.map(({ message }) => message));
    warnings.delete('A sign-in was refused.');
    deepStrictEqual([...warnings], []);
  };

  return {
    run,
    close: (): void => {
      for (const client of [portal.client, gateway.client, gateway.operatorClient]) client.destroy();
    },
  };
}

/** Throws unless the answer was right before the step or after it: others may act at the same moment. */
function checkAnswer({ asked, answer: { status, code } }: Done, before: Stored, after: Stored, nowMs: number): void {
  const { do: action, subject, accountId, keyId } = asked;
  const shown = `${action} ${status} ${code ?? ''}`;
  ok(status < 500, shown);
  if (action === 'ping') {
    const works = [before, after].map((stored) => keyWorks(stored, keyId, nowMs));
    ok(status === 200 ? works.includes(true) : status !== 401 || works.includes(false), shown);
  }
  if (code !== undefined || !isByPerson(action)) return;
  const roles = [before, after].map((stored) => roleIn(stored, subject, accountId));
  if (OF_MEMBERS.has(action)) ok(roles.includes('owner') || roles.includes('member'), `${shown} to a stranger`);
  if (OF_OWNERS.has(action)) ok(roles.includes('owner'), `${shown} to somebody who owns nothing here`);
}

function keyWorks(stored: Stored, keyId: string, nowMs: number): boolean {
  const key = itemsAt(stored, 'KEY#', 'KEY').find((item) => item.keyId === keyId);
  const project = stored.items[`PROJECT#${String(key?.projectId)} PROJECT`];
  const isAlive = key?.expiresAtMs === undefined || nowMs < Number(key.expiresAtMs);
  return key?.status === 'active' && isAlive && project?.status === 'active';
}

/**
 * Everything but the counts of what a person did, their sessions, their last sign-in, and keys that have ended since and
 * leave the list of active ones when their place is needed.
 */
const unpersonal = ({ items, audit }: Stored, nowMs: number): object => ({
  audit,
  items: Object.fromEntries(
    Object.entries(items)
      .filter(([name]) => !/^(USED|USER|IDENTITY)#/.test(name))
      .map(([name, item]) => [name, { ...item, ...(item.keys !== undefined && { keys: alive(item.keys, nowMs) }) }]),
  ),
});

/** Remembers what only answers tell: API keys, and the ids of sessions. */
function learn({ body }: Answer, keys: Map<string, string>, sessionIds: Set<string>): void {
  if (typeof body.key === 'string') keys.set(String(body.keyId), body.key);
  for (const { sessionId } of (body.sessions ?? []) as { sessionId: string }[]) sessionIds.add(sessionId);
}

function note(tally: Map<string, number>, { asked: { do: action }, answer: { status, code } }: Done): void {
  const name = `${action} ${code ?? status}`;
  tally.set(name, (tally.get(name) ?? 0) + 1);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const PLAIN: Command = {
  do: 'signIn',
  browser: 0,
  signedOut: false,
  background: false,
  strange: false,
  account: 0,
  thing: 0,
  name: 'Trips',
  address: 1,
  loud: false,
  role: 'member',
  idempotencyKey: null,
  everywhere: false,
  days: undefined,
  unitsLimit: undefined,
  unitsPeriod: undefined,
  graceHours: undefined,
  namesPredecessor: false,
  verified: true,
  personName: 'Ada',
};
/** A team of two owners with a project and two keys that share a cap, because most commands need that. */
const BEGINNING: readonly Step[] = [
  PLAIN,
  { ...PLAIN, do: 'createAccount' },
  { ...PLAIN, do: 'createProject' },
  { ...PLAIN, do: 'createKey', unitsLimit: 5, unitsPeriod: 'once' },
  { ...PLAIN, do: 'shareCap' },
  { ...PLAIN, do: 'invite', role: 'owner' },
  { ...PLAIN, browser: 1 },
  { ...PLAIN, do: 'accept', browser: 1 },
  { do: 'wait', ms: MINUTE_MS },
];
