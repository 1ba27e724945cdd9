import type { Hono } from 'hono';
import * as v from 'valibot';
import { createKey, revokeKey, updateKey } from '../accounts/api-keys.ts';
import { rotateKey } from '../accounts/key-rotation.ts';
import { KEY_STATES, readKeyPage } from '../accounts/key-pages.ts';
import { keyView } from '../accounts/stored-keys.ts';
import { countRead } from '../accounts/request-rate.ts';
import { SANDBOX_MODE, SANDBOX_SCOPE } from '../core/api-key.ts';
import { MS_PER_DAY, MS_PER_HOUR } from '../core/clock.ts';
import { askedByMember } from './changes.ts';
import { CHANGE, declares } from './declares.ts';
import type { PortalEnvironment } from './environment.ts';
import { integer, KeyId, Name, Nothing } from './fields.ts';
import { continued, Limited, nextCursor } from './list-query.ts';
import { pathId } from './paths.ts';
import type { ProjectDependencies } from './projects.ts';
import { askedOfAccount } from './reads.ts';

const MAX_LIFETIME_DAYS = 365;
const MAX_GRACE_HOURS = 168;
const DEFAULT_GRACE_HOURS = 24;

const NewKey = v.object({ name: v.optional(Name), expiresInDays: v.optional(integer(1, MAX_LIFETIME_DAYS)) });
const Renamed = v.object({ name: Name });
const Rotation = v.object({
  graceHours: v.optional(integer(0, MAX_GRACE_HOURS), DEFAULT_GRACE_HOURS),
  ends: v.optional(KeyId),
});
/** A key's end and id, or its id alone. */
const POSITION = /^((\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z|never)#)?key_[0-9A-Za-z]{16}$/;
const listSchema = (listOf: string) =>
  v.intersect([
    v.object({ state: v.optional(v.picklist(KEY_STATES, `Give one of ${KEY_STATES.join(', ')}.`)) }),
    Limited,
    continued(listOf, POSITION),
  ]);
const KEYS = '/api/accounts/:accountId/projects/:projectId/keys';
const KEY = `${KEYS}/:keyId`;

/** The items of a key: the key, its listing, its reference and its count. */
const KEY_ITEMS = ['KEY/KEY', 'ACCOUNT/KEY', 'PROJECT/KEYREF', 'PROJECT/KEYS'] as const;
/** What each route writes, and who may set which member of its body. */
const MAY = {
  list: declares({ writes: ['USED/READS'] }),
  create: declares({
    writes: [...CHANGE, ...KEY_ITEMS],
    sets: { name: 'member', expiresInDays: 'member' },
  }),
  rename: declares({ writes: [...CHANGE, 'KEY/KEY'], sets: { name: 'member' } }),
  revoke: declares({ writes: [...CHANGE, ...KEY_ITEMS] }),
  rotate: declares({
    writes: [...CHANGE, ...KEY_ITEMS],
    sets: { graceHours: 'member', ends: 'member' },
  }),
};

/** The keys of a project. The whole key is only in the answer that creates it. */
export function keyRoutes(app: Hono<PortalEnvironment>, dependencies: ProjectDependencies): void {
  const { rpm } = dependencies.defaults;

  app.get(KEYS, MAY.list, async (c) => {
    const projectId = pathId(c, 'projectId');
    const listOf = `keys of ${projectId} ${c.req.query('state') ?? ''}`;
    const { store, membership, query } = await askedOfAccount(c, dependencies, listSchema(listOf));
    // The first page of active keys is on every page about keys, and a person has few of them. So it is not counted.
    if (query.state !== 'active' || query.cursor !== undefined) await countRead(store);
    const { state, limit, cursor: before } = query;
    const { keys, next } = await readKeyPage(store, membership.accountId, projectId, { state, limit, before });
    const nowMs = store.clock.now();
    return c.json({ keys: keys.map((key) => keyView(key, nowMs)), cursor: nextCursor(listOf, next) });
  });

  app.post(KEYS, MAY.create, async (c) => {
    const asked = await askedByMember(c, dependencies, pathId(c, 'accountId'), NewKey);
    const { name, expiresInDays } = asked.input;
    const details = {
      projectId: pathId(c, 'projectId'),
      mode: SANDBOX_MODE,
      scopes: new Set([SANDBOX_SCOPE]),
      rpm,
      name,
      lifetimeMs: expiresInDays === undefined ? undefined : expiresInDays * MS_PER_DAY,
    };
    return c.json(await createKey(asked.store, details, asked.idempotencyKey), 201);
  });

  app.patch(KEY, MAY.rename, async (c) => {
    const { store, input } = await askedByMember(c, dependencies, pathId(c, 'accountId'), Renamed);
    const key = await updateKey(store, pathId(c, 'projectId'), pathId(c, 'keyId'), input);
    return c.json(keyView(key, c.get('state').receivedAtMs));
  });

  app.post(`${KEY}/revoke`, MAY.revoke, async (c) => {
    const { store } = await askedByMember(c, dependencies, pathId(c, 'accountId'), Nothing);
    const key = await revokeKey(store, pathId(c, 'projectId'), pathId(c, 'keyId'));
    return c.json(keyView(key, c.get('state').receivedAtMs));
  });

  app.post(`${KEY}/rotate`, MAY.rotate, async (c) => {
    const asked = await askedByMember(c, dependencies, pathId(c, 'accountId'), Rotation);
    const { graceHours, ends } = asked.input;
    const [projectId, keyId] = [pathId(c, 'projectId'), pathId(c, 'keyId')];
    const graceMs = graceHours * MS_PER_HOUR;
    const created = await rotateKey(asked.store, projectId, keyId, graceMs, asked.idempotencyKey, ends);
    return c.json({ keyId: created.keyId, key: created.key }, 201);
  });
}
