import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { revokeKey } from '../../../functions/accounts/keys/api-keys.ts';
import { periodAt, periodOf } from '../../../functions/shared/time.ts';
import { verifyLedger } from '../../../functions/usage/checks/verification.ts';
import { HEALTH_PATH } from '../../../functions/shared/names.ts';
import { pingRequest, verdict } from '../../support/crowd.ts';
import { tenant } from '../../support/gateway.ts';
import { wireClient, type WireRequest } from '../../support/http-client.ts';
import { assertDocumented } from '../../support/openapi-validation.ts';
import { operatorOf } from '../../support/operator.ts';
import { signedIn, startPortalSite, type PortalSite } from '../../support/portal-site.ts';
import { end, onOwnDatabase } from '../../support/processes.ts';
import type { SoakPart } from '../part.ts';

/** So high that it is no limit. */
const AMPLE = 1_000_000_000;
/** The number of requests in flight. More would only wait. */
const IN_FLIGHT = 16;
const MS_PER_MINUTE = 60_000;
/** Below sixty reads and sixty changes a minute. */
const PAGE_INTERVAL_MS = 4_000;
/** The share of the run after which code is compiled and caches are full. */
const WARM_UP_SHARE = 0.2;
/** A leak of 100 bytes a request is more than that in ten minutes. */
const MAX_GROWTH_MB = 8;

/** Load on the processes of `npm start`: requests of every outcome, and the pages of a developer who looks at them. */
export const load: SoakPart = {
  promise: 'under mixed traffic no answer is wrong, the ledger is exact, and memory is flat',
  unit: 'minutes',
  defaultAmount: 10,
  run: async ({ seed, amount, progress }) => {
    const site = await startPortalSite({ NODE_OPTIONS: '--inspect=127.0.0.1:0' }, onOwnDatabase);
    // The log of requests is read and discarded.
    site.child.stdout.removeAllListeners('data').resume();
    const operator = operatorOf(site.databaseUrl);
    const wire = wireClient(IN_FLIGHT);
    const startedAtMs = Date.now();
    const telling = setInterval(() => progress(Math.floor((Date.now() - startedAtMs) / MS_PER_MINUTE)), 1_000);
    try {
      const busy = await tenant(operator, { rpm: AMPLE, quotaLimit: AMPLE });
      const slow = await tenant(operator, { rpm: 120 });
      const empty = await tenant(operator, { rpm: AMPLE, quotaLimit: 0 });
      const revoked = await tenant(operator);
      await revokeKey(operator.store, revoked.projectId, revoked.keyId);
      const replayed = randomUUID();
      /** Each kind, the requests of this kind in a hundred, and the only answers that are right. */
      const kinds: readonly (readonly [percent: number, request: () => WireRequest, ...verdicts: string[]])[] = [
        [25, () => ping(busy.key), 'executed'],
        [20, () => ping(busy.key, randomUUID()), 'executed'],
        [20, () => ping(busy.key, replayed), 'replayed'],
        [8, () => ping(busy.key, replayed, 'another'), 'IDEMPOTENCY_CONFLICT'],
        [9, () => ping(slow.key), 'executed', 'RATE_LIMIT_EXCEEDED'],
        [5, () => ping(empty.key), 'QUOTA_EXCEEDED'],
        [5, () => ({ ...ping(busy.key), body: '{"a":' }), 'INVALID_REQUEST'],
        [3, () => ping(revoked.key), 'API_KEY_REVOKED'],
        [5, () => ({ method: 'GET', path: HEALTH_PATH }), 'executed'],
      ];
      const kindOf = fc.oneof(...kinds.map((kind) => ({ weight: kind[0], arbitrary: fc.constant(kind) })));
      const schedule = fc.sample(kindOf, { seed, numRuns: 1_000 });
      const verdicts = new Map<string, number>();
      let sent = 0;
      let charged = 0;
      const send = async (request: WireRequest, right: readonly string[]): Promise<void> => {
        const answer = await wire.send(site.url, request);
        assertDocumented(request.method, request.path, answer);
        const seen = verdict(answer);
        // A store that is slow for a moment may cause some; at the end there are few.
        assert.ok(right.includes(seen) || answer.status === 503, `${seen} and not ${right.join(', ')}: ${answer.text}`);
        verdicts.set(seen, (verdicts.get(seen) ?? 0) + 1);
        if (seen === 'executed' && request.headers?.Authorization === `Bearer ${busy.key}`) charged++;
      };
      const isOver = (): boolean => Date.now() >= startedAtMs + amount * MS_PER_MINUTE;
      const sender = async (): Promise<void> => {
        while (!isOver()) {
          const [, request, ...right] = schedule[sent++ % schedule.length] ?? [];
          if (request) await send(request(), right);
        }
      };
      await send(ping(busy.key, replayed), ['executed']);
      const warm = pause(WARM_UP_SHARE * amount * MS_PER_MINUTE).then(() => liveMb(site));
      const ended = await Promise.all([readPages(site, isOver), warm, ...Array.from({ length: IN_FLIGHT }, sender)]);
      const [pages, warmMb] = ended;
      const endMb = await liveMb(site);
      assert.ok(endMb - warmMb <= MAX_GROWTH_MB, `live memory grew from ${warmMb} to ${endMb} MB`);
      const unavailable = verdicts.get('SERVICE_UNAVAILABLE') ?? 0;
      assert.ok(
        unavailable <= sent / 1_000,
        `${unavailable} of ${sent} answers were 503:\n${site.stderr.slice(0, 2_000)}`,
      );
      let units = 0;
      for (const id of new Set([startedAtMs, Date.now()].map((ms) => periodAt(ms, 'month').id))) {
        const period = periodOf(id, 'month');
        assert.ok(period);
        const books = await verifyLedger(operator.store, busy.projectId, period);
        assert.ok(books.consistent, JSON.stringify(books));
        units += books.ledgerUnits;
      }
      // A 503 may have been charged.
      assert.ok(units >= charged && units <= charged + unavailable, `${units} units, ${charged} answers`);
      return {
        requests: sent,
        pages,
        liveMbAfterWarmUp: warmMb,
        liveMbAtTheEnd: endMb,
        ...Object.fromEntries([...verdicts].sort()),
      };
    } finally {
      clearInterval(telling);
      wire.close();
      operator.close();
      await end(site);
    }
  },
};

const ping = (key: string, idempotencyKey?: string, label = 'load'): WireRequest =>
  pingRequest({ key, label, ...(idempotencyKey !== undefined && { idempotencyKey }) });

/** What a developer reads who looks at a project again and again. Returns how often, and throws for a wrong answer. */
async function readPages(site: PortalSite, isOver: () => boolean): Promise<number> {
  const { call, create, newProject } = await signedIn(site, 'load@example.com');
  const ask = async (path: string, method = 'GET', body?: object): Promise<void> => {
    const answer = await call(path, method, body);
    const text = await answer.text();
    assert.equal(answer.status, 200, `${method} ${path}: ${text}`);
  };
  const { project } = await newProject();
  const { keyId } = await create(`${project}/keys`, {});
  let pages = 0;
  while (!isOver()) {
    for (const path of ['/api/session', `${project}/usage?by=hour`, `${project}/events`, `${project}/keys`]) {
      await ask(path);
    }
    await ask(`${project}/keys/${keyId}`, 'PATCH', { name: `After ${pages++} pages` });
    await pause(PAGE_INTERVAL_MS);
  }
  return pages;
}

/**
 * The memory in MB that lives in the process after a collection: the least of three moments, since a request may hold
 * much in one. Resident memory would say less: it differs by 100 MB within a minute.
 */
async function liveMb({ stderr }: PortalSite): Promise<number> {
  const inspector = new WebSocket(/Debugger listening on (ws:\S+)/.exec(stderr)?.[1] ?? '');
  await once(inspector, 'open');
  const call = async (method: string) => {
    inspector.send(JSON.stringify({ id: 1, method }));
    const [{ data }] = (await once(inspector, 'message')) as [{ data: string }];
    return (JSON.parse(data) as { result: { usedSize: number; backingStorageSize: number } }).result;
  };
  const momentsMb: number[] = [];
  for (const waitMs of [0, 1_000, 1_000]) {
    await pause(waitMs);
    await call('HeapProfiler.collectGarbage');
    const { usedSize, backingStorageSize } = await call('Runtime.getHeapUsage');
    momentsMb.push(Math.round((usedSize + backingStorageSize) / 1e6));
  }
  inspector.close();
  return Math.min(...momentsMb);
}
