import type { Hono } from 'hono';
import { createKey, revokeKey, updateKey } from '../../accounts/keys/api-keys.ts';
import { readKeyPage } from '../../accounts/keys/key-pages.ts';
import { rotateKey } from '../../accounts/keys/key-rotation.ts';
import { readUnitsUsed } from '../../accounts/keys/key-units.ts';
import { keyView, readKey, type StoredKey } from '../../accounts/keys/stored-keys.ts';
import type { AccountStore } from '../../accounts/account-store.ts';
import { SANDBOX_MODE, SANDBOX_SCOPE } from '../../shared/rules/credentials/api-key.ts';
import { MS_PER_HOUR } from '../../shared/rules/clock.ts';
import { periodAt } from '../../shared/rules/period.ts';
import { CHANGE, COUNTED_READ, declares } from '../declares.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { Nothing } from '../contract/requests/fields.ts';
import { KeyChanges, NewKey, Rotation } from '../contract/requests/keys.ts';
import { changesOf, KEY_ITEMS, keyListSchema, lifetimeOf } from '../routes/keys.ts';
import { nextCursor } from '../list-query.ts';
import { pathId } from '../paths.ts';
import type { ProjectDependencies } from '../routes/projects.ts';
import { authorizeTokenChange, authorizeTokenRead } from './authentication.ts';

const CHANGES = [...CHANGE, ...KEY_ITEMS] as const;

/** What each route writes, and which members of its body are read. */
const MAY = {
  create: declares({
    writes: CHANGES,
    sets: { name: 'member', expiresInDays: 'member', expiresInHours: 'member', unitsLimit: 'member' },
  }),
  update: declares({
    writes: CHANGES,
    sets: { name: 'member', unitsLimit: 'member', paused: 'member', expiresAt: 'member' },
  }),
  rotate: declares({ writes: CHANGES, sets: { graceHours: 'member', ends: 'member' } }),
  revoke: declares({ writes: CHANGES }),
};

/** The keys of a project, for programs. The whole key is only in the answer that creates it. */
export function manageKeyRoutes(app: Hono<PortalEnvironment>, dependencies: ProjectDependencies): void {
  const { defaults, quotaPeriod } = dependencies;
  /** Keys for display, with the units that they have spent under their own limits. */
  const views = async (store: AccountStore, keys: readonly StoredKey[]) => {
    const nowMs = store.clock.now();
    const unitsUsed = await readUnitsUsed(store, keys, periodAt(nowMs, quotaPeriod).id);
    return keys.map((key, i) => ({ ...keyView(key, nowMs), unitsUsed: unitsUsed[i] ?? null }));
  };

  addRoute(app, 'GET /manage/v1/projects/{projectId}/keys', COUNTED_READ, async (c) => {
    const listOf = `keys of ${pathId(c, 'projectId')} ${c.req.query('state') ?? ''}`;
    const { store, token, projectId, query } = await authorizeTokenRead(
      c,
      dependencies,
      'keys:read',
      keyListSchema(listOf),
    );
    const { state, limit, cursor: before } = query;
    const { keys, next } = await readKeyPage(store, token.accountId, projectId, { state, limit, before });
    return c.json({ keys: await views(store, keys), cursor: nextCursor(listOf, next) });
  });

  addRoute(app, 'POST /manage/v1/projects/{projectId}/keys', MAY.create, async (c) => {
    const { store, input, projectId, idempotencyKey } = await authorizeTokenChange(c, dependencies, NewKey);
    const details = {
      projectId,
      mode: SANDBOX_MODE,
      scopes: new Set([SANDBOX_SCOPE]),
      rpm: defaults.rpm,
      name: input.name,
      unitsLimit: input.unitsLimit ?? undefined,
      lifetimeMs: lifetimeOf(input),
    };
    return c.json(await createKey(store, details, idempotencyKey), 201);
  });

  addRoute(app, 'GET /manage/v1/projects/{projectId}/keys/{keyId}', COUNTED_READ, async (c) => {
    const { store, projectId } = await authorizeTokenRead(c, dependencies, 'keys:read');
    const [view] = await views(store, [await readKey(store, projectId, pathId(c, 'keyId'))]);
    return c.json(view);
  });

  addRoute(app, 'PATCH /manage/v1/projects/{projectId}/keys/{keyId}', MAY.update, async (c) => {
    const { store, input, projectId } = await authorizeTokenChange(c, dependencies, KeyChanges);
    const changes = changesOf(input, c.get('state').receivedAtMs);
    const [view] = await views(store, [await updateKey(store, projectId, pathId(c, 'keyId'), changes)]);
    return c.json(view);
  });

  addRoute(app, 'POST /manage/v1/projects/{projectId}/keys/{keyId}/rotate', MAY.rotate, async (c) => {
    const { store, input, projectId, idempotencyKey } = await authorizeTokenChange(c, dependencies, Rotation);
    const { graceHours, ends } = input;
    const graceMs = graceHours * MS_PER_HOUR;
    const made = await rotateKey(store, projectId, pathId(c, 'keyId'), graceMs, idempotencyKey, ends);
    return c.json({ keyId: made.keyId, key: made.key }, 201);
  });

  addRoute(app, 'POST /manage/v1/projects/{projectId}/keys/{keyId}/revoke', MAY.revoke, async (c) => {
    const { store, projectId } = await authorizeTokenChange(c, dependencies, Nothing);
    const [view] = await views(store, [await revokeKey(store, projectId, pathId(c, 'keyId'))]);
    return c.json(view);
  });
}
