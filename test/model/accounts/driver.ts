import { randomUUID } from 'node:crypto';
import { deepStrictEqual } from 'node:assert/strict';
import { testGateway } from '../../support/gateway.ts';
import { testPortal } from '../../support/portal.ts';
import { testClock } from '../../support/reports.ts';
import { NOW_MS } from '../../support/times.ts';
import { notePartitions } from '../../support/written-items.ts';
import { act } from './act.ts';
import { sortable, type Answer, type Seen } from './answers.ts';
import { BROWSERS, isByPerson, type Asked, type Command, type Step } from './commands.ts';
import { holdTogether } from './invariants.ts';
import { scriptedProvider } from './provider.ts';
import { perform, type Real } from './real.ts';
import { needsSignIn, nextEndMs, resolve, userOf } from './resolve.ts';
import { copied, deepEqualItems, storedItems } from './tables.ts';
import { ABSOLUTE_MS, emptyWorld, IDLE_MS, LIMITS, type World } from './world.ts';

/** A command and its real answer. */
interface Done {
  readonly asked: Asked;
  readonly seen: Seen;
}

/**
 * Runs one sequence at a time against the model and the real portal. Throws at the first difference. Counts the
 * answers by their kind.
 *
 * The order of simultaneous commands is not known. So the driver goes on with every world to which an order leads
 * that explains the answers. At the end one of these worlds must equal the tables.
 */
export function accountsRunner(tally = new Map<string, number>()) {
  const clock = testClock();
  const provider = scriptedProvider();
  /** Partitions of the Gateway table that the functions have written to. */
  const written = new Set<string>();
  const sessionLimits = { idleMs: IDLE_MS, absoluteMs: ABSOLUTE_MS };
  const portal = testPortal(provider.provider, { clock, limits: LIMITS, sessionLimits });
  const gateway = testGateway({ clock });
  for (const { client } of [portal, gateway]) notePartitions(client, written);

  const run = async (steps: readonly Step[]): Promise<void> => {
    clock.nowMs = NOW_MS;
    written.clear();
    portal.telemetry.requests.length = 0;
    portal.telemetry.warnings.length = 0;
    let refusedSignIns = 0;
    gateway.telemetry.requests.length = 0;
    const tag = randomUUID().slice(0, 13);
    const browsers = Array.from({ length: BROWSERS }, () => portal.browser());
    const real: Real = { browsers, provider, gateway };
    let worlds: readonly World[] = [emptyWorld(NOW_MS)];
    const world = (): World => first(worlds);

    /** Runs some commands at the same moment. */
    const together = async (commands: readonly Command[]): Promise<void> => {
      const asked = commands.map((command) => resolve(world(), command, tag));
      const done = await Promise.all(
        asked.map(async (one): Promise<Done> => ({ asked: one, seen: await perform(real, one) })),
      );
      const possible = worlds.flatMap((one) => outcomes(one, done));
      if (possible.length === 0) explain(world(), done);
      worlds = distinct(possible);
      for (const { seen, asked: one } of done) note(tally, one, seen);
      refusedSignIns += done.filter(({ seen }) => seen.location?.includes('tooOften')).length;
      moveOn(1);
    };
    const moveOn = (ms: number): void => {
      for (const one of worlds) one.nowMs += ms;
      clock.nowMs += ms;
    };
    /** Signs in first if a command needs it. */
    const ready = async (command: Command): Promise<void> => {
      if (needsSignIn(world(), command)) await together([{ ...command, ...SIGNING_IN }]);
    };

    for (const step of [...BEGINNING, ...steps]) {
      if (step.do === 'wait') moveOn(step.ms);
      else if (step.do === 'waitFor') {
        const end = nextEndMs(world(), step.end);
        if (end !== undefined) moveOn(Math.max(0, end + step.offsetMs - clock.nowMs));
      } else if (step.do === 'together') {
        const commands = ofDifferentPeople(step.commands);
        for (const command of commands) await ready(command);
        await together(commands);
      } else {
        await ready(step);
        await together([step]);
      }
    }
    await compare(worlds);
    const warnings = portal.telemetry.warnings.map(({ message }) => message);
    deepStrictEqual(
      warnings,
      Array.from({ length: refusedSignIns }, () => 'A sign-in was refused.'),
    );
  };

  /** Compares what is stored with the possible worlds. */
  const compare = async (worlds: readonly World[]): Promise<void> => {
    const { nowMs, projects } = first(worlds);
    const stored = await storedItems(gateway.store, first(worlds), written);
    holdTogether(stored, nowMs);
    const read = projects.map(async ({ projectId }) => [projectId, await gateway.events(projectId)] as const);
    const kept = new Map(await Promise.all(read));
    // A refusal that is stored once belongs to the first request, and only the order says which that is.
    const hold = (world: World): void => {
      deepEqualItems(world, stored);
      for (const { projectId, used, events } of world.projects) {
        const found = kept.get(projectId) ?? [];
        deepStrictEqual(idsOf(found), idsOf(events));
        deepStrictEqual(sum(found.map(({ units }) => units)), sum(Object.values(used)));
      }
    };
    if (!worlds.some((world) => isHeld(() => hold(world)))) hold(first(worlds));
    deepStrictEqual(portal.telemetry.failures, []);
  };

  return {
    run,
    close: (): void => {
      for (const client of [portal.client, gateway.client, gateway.operatorClient]) client.destroy();
    },
  };
}

/** The worlds after some commands, for every order that explains the answers. */
function outcomes(world: World, done: readonly Done[]): World[] {
  if (done.length === 0) return [world];
  return done.flatMap((one) => {
    const next = copied(world);
    const { memberId: _, ...seen } = one.seen;
    if (sortable(seen) !== sortable(expectedAnswer(one, act(next, one.asked, one.seen), done))) return [];
    return outcomes(
      next,
      done.filter((other) => other !== one),
    );
  });
}

/**
 * The answer that the model expects. In the answer to a renaming that runs beside others, figures and name may be of
 * different moments.
 */
function expectedAnswer({ asked, seen }: Done, expected: Answer, done: readonly Done[]): Answer {
  if (asked.do !== 'renameProject' || done.length === 1 || expected.status !== 200 || seen.status !== 200) {
    return expected;
  }
  const { projectId, name, status } = expected.body as Record<string, unknown>;
  return { ...expected, body: { ...(seen.body as object), projectId, name, status } };
}

/** Throws the difference in the given order. */
function explain(world: World, done: readonly Done[]): never {
  const next = copied(world);
  const expected = done.map(({ asked, seen }) => act(next, asked, seen));
  const shown = done.map(({ asked, seen: { memberId: _, ...seen } }) => ({ do: asked.do, ...seen }));
  deepStrictEqual(
    shown,
    done.map(({ asked }, i) => ({ do: asked.do, ...expected[i] })),
    `no order of ${JSON.stringify(done.map(({ asked }) => asked))} gives these answers`,
  );
  throw new Error('other answers than in every order');
}

/** Removes equal worlds; the order inside a world does not matter. */
const distinct = (worlds: readonly World[]): World[] => [
  ...new Map(worlds.map((world) => [unordered(world), world])).values(),
];
const unordered = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(unordered).sort().join()}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([name, member]) => `${name}:${unordered(member)}`);
  return `{${members.sort().join()}}`;
};

/**
 * One command of each person, and all commands of the platform team but a sign-out. What a person requested before a
 * sign-out may be done after it (`portal/session-races`), which no order explains. Nor does one explain two pings
 * beside another cap: the first may be refused under its own, earlier limit by what the second has spent under the new
 * one.
 */
function ofDifferentPeople(all: readonly Command[]): Command[] {
  const others = all.filter(({ do: action }) => action !== 'operatorSignsOut');
  const commands = others.length > 0 ? others : all.slice(0, 1);
  const isCapped = commands.some(({ do: action }) => action === 'capKey');
  const who = commands.map(({ do: action, browser }, i) => {
    if (isByPerson(action)) return `person ${userOf(browser)}`;
    return isCapped && action === 'ping' ? action : `${i}`;
  });
  return commands.filter((_, i) => who.indexOf(who[i] ?? '') === i);
}

function note(tally: Map<string, number>, { do: action }: Asked, { status, body }: Seen): void {
  const { code } = (body ?? {}) as { code?: string | null };
  const name = `${action} ${code ?? status}`;
  tally.set(name, (tally.get(name) ?? 0) + 1);
}

function isHeld(hold: () => void): boolean {
  try {
    hold();
    return true;
  } catch {
    return false;
  }
}

const idsOf = (events: readonly { readonly requestId: string }[]): string[] =>
  events.map(({ requestId }) => requestId).sort();
const sum = (units: readonly number[]): number => units.reduce((total, each) => total + each, 0);

function first<T>(things: readonly T[]): T {
  const [thing] = things;
  if (thing === undefined) throw new Error('no world is possible');
  return thing;
}

const PLAIN: Command = {
  ...{ do: 'signIn', browser: 0, signedOut: false, background: false, strange: false, account: 0, thing: 0 },
  ...{ name: { given: 'Trips', kept: 'Trips' }, address: 1, loud: false, role: 'member', idempotencyKey: null },
  ...{
    days: undefined,
    unitsLimit: undefined,
    graceHours: undefined,
    namesPredecessor: false,
    everywhere: false,
    verified: true,
    personName: 'Ada',
  },
};
const SIGNING_IN = { do: 'signIn', strange: false, verified: true } as const;
/** A team of two owners with a project and a key, because most commands need that. */
const BEGINNING: readonly Step[] = [
  { ...PLAIN, do: 'createAccount' },
  { ...PLAIN, do: 'createProject' },
  { ...PLAIN, do: 'createKey' },
  { ...PLAIN, do: 'invite', role: 'owner' },
  { ...PLAIN, do: 'accept', browser: 1 },
  { do: 'wait', ms: 60_000 },
];
