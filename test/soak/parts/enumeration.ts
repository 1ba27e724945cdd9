import assert from 'node:assert/strict';
import { DEFAULT_LIMITS } from '../../../functions/accounts/limits.ts';
import { readItem } from '../../../functions/store/items.ts';
import { trustingProvider } from '../../support/changes/provider.ts';
import { scene } from '../../support/changes/scene.ts';
import { availableEngines } from '../../support/engine.ts';
import { testPortal, type TestPortal } from '../../support/portal.ts';
import { putManyEvents, readUnitsOf } from '../../support/read-units.ts';
import { randomFrom } from '../../support/random-from.ts';
import { onFreshEngine } from '../engine.ts';
import type { Figures, SoakPart } from '../part.ts';
import { median } from '../../../bench/statistics.ts';
import { differenceOf } from '../turns.ts';

/** The largest difference in time that may show whether another's thing exists: half a database call. */
const MAX_CALLS = 0.5;
const WARM_UP_TRIES = 50;
/** The time of one call, with which the differences are compared. */
const TRIES_PER_CALL = 4;
/** The most read units of a refusal: a change reads who asks, and the ids that it names. */
const MAX_UNITS = 12;
const NO_LIMIT = 1_000_000;
const NOTHING = { pk: 'nobody', sk: 'nothing' };
/** More than 1 MB, the most that one call of a query reads. */
const EVENTS = 3_600;
const PAGE = 200;

/**
 * An id of another's thing of each kind, and one that nobody has. Both are requested by a person who may know neither.
 */
interface Kind {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: (id: string) => string;
  readonly query?: string;
  readonly anothers: string;
  readonly nobodys: string;
}

/** The portal's function in this process, on its own engine. */
export const enumeration: SoakPart = {
  promise: 'another’s id takes as long to be refused as one that nobody has',
  unit: 'tries',
  defaultAmount: 1_000,
  run: async ({ seed, amount, progress }) => {
    const [engine] = availableEngines();
    if (engine === undefined) throw new Error('No local database runs on this machine.');
    return onFreshEngine(engine, async () => {
      const chance = randomFrom(seed);
      // The limits of a minute are not reached.
      const portal = testPortal(trustingProvider, { limits: { ...DEFAULT_LIMITS, readsPerMinute: NO_LIMIT } });
      const { kinds, cookie } = await worldOf(portal);
      const figures: Record<string, string> = {};
      const found: string[] = [];
      for (const [i, [name, kind]] of Object.entries(kinds).entries()) {
        const unitsOf = async (id: string) =>
          (await readUnitsOf(portal, () => refused(portal, cookie, kind, id))).units;
        const [ofAnothers, ofNobodys] = [await unitsOf(kind.anothers), await unitsOf(kind.nobodys)];
        assert.equal(ofAnothers, ofNobodys, `told by read units: ${name}`);
        assert.ok(ofAnothers <= MAX_UNITS, `${ofAnothers} read units: ${name}`);
        const times = { one: [] as number[], other: [] as number[], call: [] as number[] };
        const turns = [
          async () => times.one.push(await timed(() => refused(portal, cookie, kind, kind.anothers))),
          async () => times.other.push(await timed(() => refused(portal, cookie, kind, kind.nobodys))),
        ];
        for (let tried = 0; tried < WARM_UP_TRIES + amount; tried++) {
          if (tried === WARM_UP_TRIES) for (const measured of Object.values(times)) measured.length = 0;
          // The order changes, so that garbage of one request does not always slow the same other one.
          for (const turn of turns.toSorted(() => chance() - 0.5)) await turn();
          if (tried % TRIES_PER_CALL === 0) times.call.push(await timed(() => readItem(portal.store, NOTHING)));
          progress(Math.floor((i * amount + tried) / Object.keys(kinds).length));
        }
        const { ms, noiseMs } = differenceOf(times, chance);
        const callMs = median(times.call);
        figures[`${name}Ms`] =
          `${ofAnothers} read units, ${shown(median(times.other))}, another's ${signed(ms)}; chance ±${shown(noiseMs)}, a call ${shown(callMs)}`;
        if (Math.abs(ms) > Math.max(noiseMs, MAX_CALLS * callMs)) found.push(name);
      }
      assert.deepEqual(found, [], `told by time: ${JSON.stringify(figures, undefined, 1)}`);
      return { tries: amount, ...figures } satisfies Figures;
    });
  },
};

const shown = (ms: number): string => ms.toFixed(3);
const signed = (ms: number): string => (ms < 0 ? '' : '+') + shown(ms);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Without the checks of the tests, which would be timed, too. */
async function refused(portal: TestPortal, cookie: string, { method, path, query }: Kind, id: string): Promise<void> {
  const { status } = await portal.sendEvent({
    rawPath: path(id),
    rawQueryString: query ?? '',
    cookies: [cookie],
    // As by a timer, because the time of a session's last use is not stored for each request.
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json', 'x-service-background': '1' },
    requestContext: { requestId: 'soak', http: { method } },
    ...(method !== 'GET' && { body: '{}' }),
  });
  assert.equal(status, 404, `${method} ${path(id)}`);
}

/** A team with something of everything, and a stranger with an account. */
async function worldOf(portal: TestPortal): Promise<{ kinds: Record<string, Kind>; cookie: string }> {
  const made = scene(portal);
  const [owner, stranger, invited] = [await made.somebody(), await made.somebody(), await made.somebody()];
  const [theirs, own] = [await made.account(owner), await made.account(stranger)];
  const projectId = await made.project(theirs);
  const { keyId } = await made.key(projectId);
  for (let i = 0; i < 4; i++) {
    await made.project(theirs);
    await made.key(projectId);
    await made.join(theirs, await made.somebody());
  }
  const memberId = await made.invite(theirs, invited);
  await putManyEvents(portal, projectId, keyId, EVENTS);
  const { body } = await portal.send({ path: '/api/sessions', cookies: [owner.cookie] });
  const { sessions } = body as { sessions: [{ sessionId: string }] };

  const projects = `/api/accounts/${own}/projects`;
  const [nobodysAccount, nobodysProject] = ['acc_4fS0pQ2mXz81LkWd', 'L3F3EM36hg2T'];
  return {
    cookie: stranger.cookie,
    kinds: {
      account: {
        method: 'GET',
        path: (id) => `/api/accounts/${id}/projects`,
        anothers: theirs,
        nobodys: nobodysAccount,
      },
      project: {
        method: 'DELETE',
        path: (id) => `${projects}/${id}`,
        anothers: projectId,
        nobodys: nobodysProject,
      },
      events: {
        method: 'GET',
        path: (id) => `${projects}/${id}/events`,
        query: `limit=${PAGE}`,
        anothers: projectId,
        nobodys: nobodysProject,
      },
      key: {
        method: 'POST',
        path: (id) => `${projects}/${projectId}/keys/${id}/rotate`,
        anothers: keyId,
        nobodys: 'key_9aBcD3fGhJ5kLmN7',
      },
      member: {
        method: 'DELETE',
        path: (id) => `/api/accounts/${own}/members/${id}`,
        anothers: memberId,
        nobodys: 'mem_Zx8cV6bN4mQ2wE0r',
      },
      invitation: {
        method: 'POST',
        path: (id) => `/api/invitations/${id}/accept`,
        anothers: theirs,
        nobodys: nobodysAccount,
      },
      session: {
        method: 'DELETE',
        path: (id) => `/api/sessions/${id}`,
        anothers: sessions[0].sessionId,
        nobodys: 'ses_Zx8cV6bN4mQ2wE0r',
      },
    },
  };
}
