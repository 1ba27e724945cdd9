import type * as v from 'valibot';
import { createKey, revokeKey, updateKey, type KeyChanges as Changed } from '../../accounts/keys/api-keys.ts';
import { readKeyPage } from '../../accounts/keys/key-pages.ts';
import { rateNow } from '../../accounts/keys/key-rate.ts';
import { rotateKey } from '../../accounts/keys/key-rotation.ts';
import { changedView, keyViews, readKeyView } from '../../accounts/keys/key-views.ts';
import { endBefore } from '../../accounts/keys/listed-keys.ts';
import { readKey, readKeyPlace, type StoredKey } from '../../accounts/keys/stored-keys.ts';
import { readProject } from '../../accounts/projects/stored-projects.ts';
import { countRead } from '../../accounts/authority/rate.ts';
import { isoTime, MS_PER_DAY, MS_PER_HOUR, MS_PER_SECOND, periodAt } from '../../shared/time.ts';
import { SANDBOX_MODE, SANDBOX_SCOPE } from '../../shared/credentials/credential-text.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { readItem } from '../../shared/store/tables.ts';
import { readKeyUsage } from '../../usage/sums/key-usage.ts';
import {
  keyContract,
  keyQuery,
  MAX_LIFETIME_DAYS,
  type KeyChanges,
  type NewKey,
  type Rotation,
} from '../contract/keys.ts';
import { MANAGE_CONTRACT } from '../contract/manage.ts';
import { PortalError } from '../contract/errors.ts';
import { continued, nextCursor } from '../request/list-query.ts';
import { serveToken } from '../serve/token-authority.ts';
import { serve, type Asked, type Known } from '../serve/serve.ts';

/** A position in the list: a key's end and id. */
const POSITION = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z|never)#key_[0-9A-Za-z]{16}$/;
const listOf = (projectId: string, state = ''): string => `keys of ${projectId} ${state}`;
const listQuery = ({ c, id }: Known) => keyQuery(continued(listOf(id('projectId'), c.req.query('state')), POSITION));

type Given<Schema extends v.GenericSchema> = Asked<v.InferOutput<Schema>>;

/** A page of the keys of a project. */
async function list({ store, accountId, id, input }: Given<ReturnType<typeof keyQuery>>) {
  const { state, limit, cursor: before } = input;
  const { keys, next } = await readKeyPage(store, accountId, id('projectId'), { state, limit, before });
  return { keys: await keyViews(store, keys), cursor: nextCursor(listOf(id('projectId'), state), next) };
}

const create = ({ store, input, id, idempotencyKey, dependencies }: Given<typeof NewKey>) =>
  createKey(
    store,
    {
      projectId: id('projectId'),
      mode: SANDBOX_MODE,
      scopes: new Set([SANDBOX_SCOPE]),
      rpm: dependencies.defaults.rpm,
      name: input.name,
      unitsLimit: input.unitsLimit ?? undefined,
      unitsPeriod: input.unitsPeriod,
      capOf: input.capOf,
      lifetimeMs: lifetimeOf(input),
    },
    idempotencyKey,
  );

const change = ({ store, id, input, nowMs }: Given<typeof KeyChanges>) =>
  updateKey(store, id('projectId'), id('keyId'), changesOf(input, nowMs));

async function rotate({ store, id, input, idempotencyKey }: Given<typeof Rotation>) {
  const { graceHours, ends } = input;
  const graceMs = graceHours * MS_PER_HOUR;
  const made = await rotateKey(store, id('projectId'), id('keyId'), graceMs, idempotencyKey, ends);
  return { keyId: made.keyId, key: made.key };
}

const revoke = ({ store, id }: Asked) => revokeKey(store, id('projectId'), id('keyId'));

/** The keys of a project. The whole key is only in the answer that creates it. */
export const keyRoutes = [
  serve(
    keyContract.listKeys,
    async (asked) => {
      const { state, cursor } = asked.input;
      // The first page of active keys is on every page about keys, and a person has few of them. So it is not counted.
      if (state !== 'active' || cursor !== undefined) await countRead(asked.store);
      return list(asked);
    },
    listQuery,
  ),
  serve(keyContract.createKey, create),
  serve(keyContract.getKey, details),
  serve(keyContract.updateKey, async (asked) => changedView(asked.store, await change(asked))),
  serve(keyContract.revokeKey, async (asked) => changedView(asked.store, await revoke(asked))),
  serve(keyContract.rotateKey, rotate),
];

/** The same for programs, whose answers tell the units that a key has spent. */
export const manageKeyRoutes = [
  serveToken(MANAGE_CONTRACT.listKeys, list, listQuery),
  serveToken(MANAGE_CONTRACT.createKey, create),
  serveToken(MANAGE_CONTRACT.readKey, async ({ store, id }) =>
    readKeyView(store, await readKey(store, id('projectId'), id('keyId'))),
  ),
  serveToken(MANAGE_CONTRACT.updateKey, async (asked) => readKeyView(asked.store, await change(asked))),
  serveToken(MANAGE_CONTRACT.rotateKey, rotate),
  serveToken(MANAGE_CONTRACT.revokeKey, async (asked) => readKeyView(asked.store, await revoke(asked))),
];

/** A key, its rate, and what it has done. */
async function details({ c, store, id, nowMs, dependencies }: Asked) {
  const { quotaPeriod, usageRetentionDays } = dependencies;
  const of = { projectId: id('projectId'), keyId: id('keyId') };
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
    readKeyUsage(store, question, c.get('state').runInBackground),
  ]);
  // A repeat of its creation has replaced its item meanwhile.
  const key = found ?? (await readKey(store, of.projectId, of.keyId));
  const { limit, remaining, resetEpochSeconds } = rateNow(key, nowMs);
  const rate = { limit, remaining, resetsAt: isoTime(resetEpochSeconds * MS_PER_SECOND) };
  return { ...(await readKeyView(store, key)), replaces: key.replaces ?? null, rate, ...usage };
}

const EXPIRY_RULE = `Give a time to come, at most ${MAX_LIFETIME_DAYS} days from now, or null.`;

/** The changes of a key. A changed expiry is to come, and no later than that of a key that is made now. */
function changesOf(
  { name, paused, unitsLimit, unitsPeriod, expiresAt }: v.InferOutput<typeof KeyChanges>,
  nowMs: number,
): Changed {
  const isRight = !expiresAt || (expiresAt > nowMs && expiresAt <= nowMs + MAX_LIFETIME_DAYS * MS_PER_DAY);
  if (!isRight) throw new PortalError('INVALID_REQUEST', { field: 'expiresAt', detail: EXPIRY_RULE });
  return {
    name,
    paused,
    unitsLimit: unitsLimit === null ? 'none' : unitsLimit,
    unitsPeriod,
    expiresAtMs: expiresAt === null ? 'never' : expiresAt,
  };
}

/** The lifetime of a new key, in milliseconds. Undefined: unlimited. */
function lifetimeOf({ expiresInDays, expiresInHours }: v.InferOutput<typeof NewKey>): number | undefined {
  if (expiresInDays !== undefined) return expiresInDays * MS_PER_DAY;
  return expiresInHours === undefined ? undefined : expiresInHours * MS_PER_HOUR;
}
