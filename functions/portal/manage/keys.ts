import type { Hono } from 'hono';
import { createKey, revokeKey, updateKey } from '../../accounts/keys/api-keys.ts';
import { readKeyPage } from '../../accounts/keys/key-pages.ts';
import { rotateKey } from '../../accounts/keys/key-rotation.ts';
import { readKey } from '../../accounts/keys/stored-keys.ts';
import { MS_PER_HOUR } from '../../shared/rules/clock.ts';
import { COUNTED_READ, KEY_CHANGE } from '../writes.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { KeyChanges, NewKey, Rotation } from '../contract/requests/keys.ts';
import { changesOf, keyListSchema, keyViews, newKeyOf } from '../routes/keys.ts';
import { nextCursor } from '../list-query.ts';
import { pathId } from '../paths.ts';
import type { ProjectDependencies } from '../routes/projects.ts';
import { authorizeTokenChange, authorizeTokenRead } from './authentication.ts';

/** The keys of a project, for programs. The whole key is only in the answer that creates it. */
export function manageKeyRoutes(app: Hono<PortalEnvironment>, dependencies: ProjectDependencies): void {
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
    return c.json({ keys: await keyViews(store, keys, dependencies), cursor: nextCursor(listOf, next) });
  });

  addRoute(app, 'POST /manage/v1/projects/{projectId}/keys', KEY_CHANGE, async (c) => {
    const { store, input, projectId, idempotencyKey } = await authorizeTokenChange(c, dependencies, NewKey);
    const details = newKeyOf(projectId, input, dependencies);
    return c.json(await createKey(store, details, idempotencyKey), 201);
  });

  addRoute(app, 'GET /manage/v1/projects/{projectId}/keys/{keyId}', COUNTED_READ, async (c) => {
    const { store, projectId } = await authorizeTokenRead(c, dependencies, 'keys:read');
    const [view] = await keyViews(store, [await readKey(store, projectId, pathId(c, 'keyId'))], dependencies);
    return c.json(view);
  });

  addRoute(app, 'PATCH /manage/v1/projects/{projectId}/keys/{keyId}', KEY_CHANGE, async (c) => {
    const { store, input, projectId } = await authorizeTokenChange(c, dependencies, KeyChanges);
    const changes = changesOf(input, c.get('state').receivedAtMs);
    const key = await updateKey(store, projectId, pathId(c, 'keyId'), changes);
    const [view] = await keyViews(store, [key], dependencies);
    return c.json(view);
  });

  addRoute(app, 'POST /manage/v1/projects/{projectId}/keys/{keyId}/rotate', KEY_CHANGE, async (c) => {
    const { store, input, projectId, idempotencyKey } = await authorizeTokenChange(c, dependencies, Rotation);
    const { graceHours, ends } = input;
    const graceMs = graceHours * MS_PER_HOUR;
    const made = await rotateKey(store, projectId, pathId(c, 'keyId'), graceMs, idempotencyKey, ends);
    return c.json({ keyId: made.keyId, key: made.key }, 201);
  });

  addRoute(app, 'POST /manage/v1/projects/{projectId}/keys/{keyId}/revoke', KEY_CHANGE, async (c) => {
    const { store, projectId } = await authorizeTokenChange(c, dependencies);
    const [view] = await keyViews(store, [await revokeKey(store, projectId, pathId(c, 'keyId'))], dependencies);
    return c.json(view);
  });
}
