import type { Hono } from 'hono';
import type * as v from 'valibot';
import { createKey, revokeKey, updateKey, type KeyChanges as Changed } from '../../accounts/keys/api-keys.ts';
import { rotateKey } from '../../accounts/keys/key-rotation.ts';
import { readKeyPage } from '../../accounts/keys/key-pages.ts';
import { rateNow } from '../../accounts/keys/key-rate.ts';
import { readUnitsUsed } from '../../accounts/keys/key-units.ts';
import { endBefore } from '../../accounts/keys/listed-keys.ts';
import { keyView, readKey, readKeyPlace, type StoredKey } from '../../accounts/keys/stored-keys.ts';
import type { AccountStore } from '../../accounts/account-store.ts';
import { readProject } from '../../accounts/projects/stored-projects.ts';
import { countRead } from '../../accounts/request-rate.ts';
import { SANDBOX_MODE, SANDBOX_SCOPE } from '../../shared/rules/credentials/credential-text.ts';
import { isoTime, MS_PER_DAY, MS_PER_HOUR, MS_PER_SECOND } from '../../shared/rules/clock.ts';
import { allFulfilled } from '../../shared/rules/fulfilled.ts';
import { periodAt } from '../../shared/rules/period.ts';
import { readItem } from '../../shared/store/tables.ts';
import { readKeyUsage } from '../../usage/key-usage.ts';
import { authorizeChange } from '../changes.ts';
import { KeyChanges, keyQuery, MAX_LIFETIME_DAYS, NewKey, Rotation } from '../contract/requests/keys.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import { COUNTED_READ, KEY_CHANGE, READ_OF_SUMS } from '../writes.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { PortalError } from '../errors.ts';
import { continued, nextCursor } from '../list-query.ts';
import { pathId } from '../paths.ts';
import type { ProjectDependencies } from './projects.ts';
import { authorizeAccountRead } from '../reads.ts';
import type { UsageDependencies } from './usage.ts';

/** A position in the list: a key's end and id. */
const POSITION = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z|never)#key_[0-9A-Za-z]{16}$/;
/** The query of the list. */
export const keyListSchema = (listOf: string) => keyQuery(continued(listOf, POSITION));

/** The keys of a project. The whole key is only in the answer that creates it. */
export function keyRoutes(app: Hono<PortalEnvironment>, dependencies: ProjectDependencies & UsageDependencies): void {
  const { quotaPeriod, usageRetentionDays } = dependencies;

  addRoute(app, ROUTES.listKeys, COUNTED_READ, async (c) => {
    const projectId = pathId(c, 'projectId');
    const listOf = `keys of ${projectId} ${c.req.query('state') ?? ''}`;
    const { store, membership, query } = await authorizeAccountRead(c, dependencies, keyListSchema(listOf));
    // The first page of active keys is on every page about keys, and a person has few of them. So it is not counted.
    if (query.state !== 'active' || query.cursor !== undefined) await countRead(store);
    const { state, limit, cursor: before } = query;
    const { keys, next } = await readKeyPage(store, membership.accountId, projectId, { state, limit, before });
    return c.json({ keys: await keyViews(store, keys, dependencies), cursor: nextCursor(listOf, next) });
  });

  addRoute(app, ROUTES.createKey, KEY_CHANGE, async (c) => {
    const asked = await authorizeChange(c, dependencies, NewKey);
    const details = newKeyOf(pathId(c, 'projectId'), asked.input, dependencies);
    return c.json(await createKey(asked.store, details, asked.idempotencyKey), 201);
  });

  addRoute(app, ROUTES.getKey, READ_OF_SUMS, async (c) => {
    const { receivedAtMs: nowMs, runInBackground } = c.get('state');
    const { store } = await authorizeAccountRead(c, dependencies);
    const of = { projectId: pathId(c, 'projectId'), keyId: pathId(c, 'keyId') };
    // It is counted as every read of the ledger: a 429 is answered before the ledger is read.
    const [, , { at, ttl, replacedAt }] = await allFulfilled([
      countRead(store),
      readProject(store, of.projectId),
      readKeyPlace(store, of.projectId, of.keyId),
    ]);
    const isInGrace = replacedAt !== undefined && nowMs < endBefore(ttl);
    const question = {
      ...of,
      nowMs,
      usageRetentionDays,
      period: periodAt(nowMs, quotaPeriod),
      replacedAt: isInGrace ? replacedAt : undefined,
    };
    const [found, usage] = await allFulfilled([
      readItem<StoredKey>(store, at),
      readKeyUsage(store, question, runInBackground),
    ]);
    // A repeat of its creation has replaced its item meanwhile.
    const key = found ?? (await readKey(store, of.projectId, of.keyId));
    const { limit, remaining, resetEpochSeconds } = rateNow(key, nowMs);
    const rate = { limit, remaining, resetsAt: isoTime(resetEpochSeconds * MS_PER_SECOND) };
    const [unitsUsed = null] = await readUnitsUsed(store, [key], question.period.id);
    return c.json({ ...keyView(key, nowMs), unitsUsed, replaces: key.replaces ?? null, rate, ...usage });
  });

  addRoute(app, ROUTES.updateKey, KEY_CHANGE, async (c) => {
    const { store, input } = await authorizeChange(c, dependencies, KeyChanges);
    const changes = changesOf(input, c.get('state').receivedAtMs);
    const key = await updateKey(store, pathId(c, 'projectId'), pathId(c, 'keyId'), changes);
    return c.json(keyView(key, c.get('state').receivedAtMs));
  });

  addRoute(app, ROUTES.revokeKey, KEY_CHANGE, async (c) => {
    const { store } = await authorizeChange(c, dependencies);
    const key = await revokeKey(store, pathId(c, 'projectId'), pathId(c, 'keyId'));
    return c.json(keyView(key, c.get('state').receivedAtMs));
  });

  addRoute(app, ROUTES.rotateKey, KEY_CHANGE, async (c) => {
    const asked = await authorizeChange(c, dependencies, Rotation);
    const { graceHours, ends } = asked.input;
    const [projectId, keyId] = [pathId(c, 'projectId'), pathId(c, 'keyId')];
    const graceMs = graceHours * MS_PER_HOUR;
    const created = await rotateKey(asked.store, projectId, keyId, graceMs, asked.idempotencyKey, ends);
    return c.json({ keyId: created.keyId, key: created.key }, 201);
  });
}

/** Keys for display, with the units that they have spent under their own limits. */
export async function keyViews(
  store: AccountStore,
  keys: readonly StoredKey[],
  { quotaPeriod }: Pick<ProjectDependencies, 'quotaPeriod'>,
) {
  const nowMs = store.clock.now();
  const unitsUsed = await readUnitsUsed(store, keys, periodAt(nowMs, quotaPeriod).id);
  return keys.map((key, i) => ({ ...keyView(key, nowMs), unitsUsed: unitsUsed[i] ?? null }));
}

/** A new key of a project, as it is asked for. */
export const newKeyOf = (
  projectId: string,
  input: v.InferOutput<typeof NewKey>,
  { defaults }: Pick<ProjectDependencies, 'defaults'>,
) => ({
  projectId,
  mode: SANDBOX_MODE,
  scopes: new Set([SANDBOX_SCOPE]),
  rpm: defaults.rpm,
  name: input.name,
  unitsLimit: input.unitsLimit ?? undefined,
  lifetimeMs: lifetimeOf(input),
});

const EXPIRY_RULE = `Give a time to come, at most ${MAX_LIFETIME_DAYS} days from now, or null.`;

/** The changes of a key. A changed expiry is to come, and no later than that of a key that is made now. */
export function changesOf(
  { name, paused, unitsLimit, expiresAt }: v.InferOutput<typeof KeyChanges>,
  nowMs: number,
): Changed {
  const isRight = !expiresAt || (expiresAt > nowMs && expiresAt <= nowMs + MAX_LIFETIME_DAYS * MS_PER_DAY);
  if (!isRight) throw new PortalError('INVALID_REQUEST', { field: 'expiresAt', detail: EXPIRY_RULE });
  return {
    name,
    paused,
    unitsLimit: unitsLimit === null ? 'none' : unitsLimit,
    expiresAtMs: expiresAt === null ? 'never' : expiresAt,
  };
}

/** The lifetime of a new key, in milliseconds. Undefined: unlimited. */
function lifetimeOf({ expiresInDays, expiresInHours }: v.InferOutput<typeof NewKey>): number | undefined {
  if (expiresInDays !== undefined) return expiresInDays * MS_PER_DAY;
  return expiresInHours === undefined ? undefined : expiresInHours * MS_PER_HOUR;
}
