import { isoTime, MS_PER_DAY, MS_PER_MINUTE } from '../../shared/time.ts';
import { generateId } from '../../shared/ids.ts';
import { moveCounts } from '../team/account-counts.ts';
import type { AccountStore, Change } from '../store/account-store.ts';
import { audited, auditValues } from '../authority/audit.ts';
import { edit } from '../authority/edit.ts';
import { changeAs, doneBefore } from '../authority/authority.ts';
import { create } from '../store/transact.ts';
import { conditionOf, deleteItem, NO_ITEM, replaceAttributes, updateOf } from '../store/writes.ts';
import { creationOf, markedBy, orRepeated, unlessRepeated } from '../store/idempotency.ts';
import { endpointSecret } from './endpoint-secrets.ts';
import { noticeItemKey } from '../store/notice-items.ts';
import { above, absentOr, below } from '../store/expressions.ts';
import { limitReached, RefusedError } from '../store/refusals.ts';
import { type StoredEndpoint, type EndpointDetails, readEndpoint, noSuchEndpoint } from './stored-endpoints.ts';

/** The most endpoints of an account. */
export const MAX_ENDPOINTS = 5;
/** How long the previous secret stays valid. */
const OVERLAP_MS = MS_PER_DAY;
/** How long a repeat under the same Idempotency-Key gets the secret again. */
const SHOWN_AGAIN_FOR_MS = 10 * MS_PER_MINUTE;

/** An endpoint with its secret. The secret is shown once. */
export interface NewSecret {
  readonly endpointId: string;
  readonly secret: string;
}

/**
 * Creates an endpoint. People need the role owner. A repeat under one Idempotency-Key within ten minutes has the same
 * answer. Throws `RefusedError` for an unknown account, beyond {@link MAX_ENDPOINTS}, and when it was deleted since.
 */
export async function createEndpoint(
  store: AccountStore,
  accountId: string,
  { url, kinds }: EndpointDetails,
  idempotencyKey?: string,
): Promise<NewSecret> {
  const asked = await creationOf(store, ['endpoint', accountId], { url, kinds }, idempotencyKey);
  const endpointId = generateId('ept', asked.ids);
  const secret = endpointSecret(await store.keyTagSecrets(), { endpointId, secretVersion: 1 });
  const result = { endpointId, secret };
  const creation = changeAs(store, 'owner', async () => {
    const values = { url, kinds: kinds.join(','), status: 'active' } as const;
    const endpoint: StoredEndpoint = {
      accountId,
      endpointId,
      ...values,
      secretVersion: 1,
      createdAt: isoTime(store.clock.now()),
    };
    const item = { ...noticeItemKey.endpoint(accountId, endpointId), ...endpoint, ...markedBy(asked) };
    const after = auditValues(values, ['url']);
    const changes = [
      create(store, item, unlessRepeated(asked)),
      moveCounts(store, accountId, { by: {} }),
      neverDeleted(store, accountId, endpointId),
      countEndpoint(store, accountId),
      await audited(store, 'endpoint.create', { accountId, endpointId }, { before: null, after }),
    ];
    return { result, changes };
  });
  return orRepeated(creation, async () => {
    const { secretVersion, createdAt } = await readEndpoint(store, accountId, endpointId);
    requireFresh(store, secretVersion === 1 ? createdAt : undefined);
    return doneBefore(store, 'owner', result);
  });
}

/** Changes of an endpoint. Absent: unchanged. */
export type EndpointChanges = { readonly [K in keyof EndpointDetails]?: EndpointDetails[K] | undefined } & {
  readonly status?: StoredEndpoint['status'] | undefined;
};

/** Changes address or kinds, or switches the endpoint on or off. People need the role owner. */
export const updateEndpoint = (
  store: AccountStore,
  accountId: string,
  endpointId: string,
  changes: EndpointChanges,
): Promise<StoredEndpoint> =>
  editEndpoint(store, accountId, endpointId, {
    action: 'endpoint.update',
    decide: ({ url, kinds, status }) => ({
      url: changes.url ?? url,
      kinds: changes.kinds?.join(',') ?? kinds,
      status: changes.status ?? status,
    }),
    by: 'owner',
  });

/**
 * Switches an endpoint off, for the platform team or after three days of failures. An endpoint that is already off
 * stays unchanged.
 * @param failed the endpoint whose delivery failed. If its address has changed or a delivery has succeeded meanwhile,
 * it stays unchanged
 */
export const disableEndpoint = (
  store: AccountStore,
  accountId: string,
  endpointId: string,
  by: 'operator' | 'failures',
  failed?: Pick<StoredEndpoint, 'url' | 'failingSinceMs'>,
): Promise<StoredEndpoint> =>
  editEndpoint(store, accountId, endpointId, {
    action: 'endpoint.disable',
    // The failure was of another address, or a delivery has succeeded meanwhile.
    decide: ({ url, failingSinceMs }) =>
      failed !== undefined && (failed.url !== url || !isFailingAsBefore(failed, failingSinceMs))
        ? {}
        : { status: 'disabled' },
    by,
  });

/** Whether nothing has arrived since then, or since the first failure where none was known. */
const isFailingAsBefore = (
  { failingSinceMs: before = Infinity }: Pick<StoredEndpoint, 'failingSinceMs'>,
  failingSinceMs: number | undefined,
): boolean => failingSinceMs !== undefined && failingSinceMs <= before;

interface EndpointEdit {
  readonly action: 'endpoint.update' | 'endpoint.disable';
  readonly decide: (endpoint: StoredEndpoint) => Pick<Partial<StoredEndpoint>, 'url' | 'kinds' | 'status'>;
  readonly by: NonNullable<StoredEndpoint['disabledBy']>;
}

const editEndpoint = (
  store: AccountStore,
  accountId: string,
  endpointId: string,
  { action, decide, by }: EndpointEdit,
): Promise<StoredEndpoint> =>
  edit<StoredEndpoint>(store, {
    key: () => noticeItemKey.endpoint(accountId, endpointId),
    what: `Endpoint ${endpointId}`,
    absent: () => noSuchEndpoint(endpointId),
    authority: 'owner',
    action,
    subject: () => ({ accountId, endpointId }),
    decide,
    dependsOn: ['url', 'kinds', 'status', 'failingSinceMs'],
    personal: ['url'],
    // An endpoint that is switched on, or gets another address, begins without failures.
    derives: ({ status, disabledAt, disabledBy }) =>
      status === 'active'
        ? { disabledAt: undefined, disabledBy: undefined, failingSinceMs: undefined }
        : { disabledAt: disabledAt ?? isoTime(store.clock.now()), disabledBy: disabledBy ?? by },
  });

/** Deletes an endpoint. Nothing is sent to it from then on. People need the role owner. */
export const deleteEndpoint = (store: AccountStore, accountId: string, endpointId: string): Promise<void> =>
  changeAs(store, 'owner', async () => {
    const { kinds, status, url } = await readEndpoint(store, accountId, endpointId);
    const before = auditValues({ url, kinds, status }, ['url']);
    const changes = [
      deleteItem(store, {
        key: noticeItemKey.endpoint(accountId, endpointId),
        what: `Endpoint ${endpointId}`,
        seen: { kinds, status, url },
      }),
      create(store, { ...noticeItemKey.endedEndpoint(accountId, endpointId), at: isoTime(store.clock.now()) }),
      uncountEndpoint(store, accountId),
      await audited(store, 'endpoint.delete', { accountId, endpointId }, { before, after: null }),
    ];
    return { result: undefined, changes };
  });

/**
 * Gives an endpoint a new secret. Both sign deliveries for a day. Another rotation within that day ends the oldest at
 * once. A repeat under one Idempotency-Key within ten minutes has the same answer. People need the role owner.
 */
export async function rotateEndpointSecret(
  store: AccountStore,
  accountId: string,
  endpointId: string,
  idempotencyKey?: string,
): Promise<NewSecret> {
  const asked = await creationOf(store, ['endpoint secret', accountId, endpointId], {}, idempotencyKey);
  const { fingerprint: rotation } = asked;
  const secrets = await store.keyTagSecrets();
  return changeAs(store, 'owner', async () => {
    const { secretVersion, rotatedAt, ...of } = await readEndpoint(store, accountId, endpointId);
    if (rotation !== undefined && of.rotation === rotation) {
      requireFresh(store, rotatedAt);
      return { result: { endpointId, secret: endpointSecret(secrets, { endpointId, secretVersion }) }, changes: [] };
    }
    const nowMs = store.clock.now();
    const next = secretVersion + 1;
    const changes = [
      replaceAttributes(store, {
        key: noticeItemKey.endpoint(accountId, endpointId),
        what: `Endpoint ${endpointId}`,
        seen: { secretVersion },
        after: { secretVersion: next, previousUntilMs: nowMs + OVERLAP_MS, rotatedAt: isoTime(nowMs), rotation },
      }),
      await audited(
        store,
        'endpoint.rotate',
        { accountId, endpointId },
        { before: { secretVersion }, after: { secretVersion: next } },
      ),
    ];
    return { result: { endpointId, secret: endpointSecret(secrets, { endpointId, secretVersion: next }) }, changes };
  });
}

/** A secret is shown again only to a repeat whose first answer was lost, and not later. */
function requireFresh({ clock }: AccountStore, madeAt: string | undefined): void {
  if (madeAt !== undefined && clock.now() < Date.parse(madeAt) + SHOWN_AGAIN_FOR_MS) return;
  throw new RefusedError('This secret was made already, and cannot be shown again.', { code: 'CHANGED_MEANWHILE' });
}

/**
 * A deleted endpoint is not created again by a repeat. An endpoint under its id would get its waiting deliveries, and its
 * secrets that were rotated away.
 */
const neverDeleted = (store: AccountStore, accountId: string, endpointId: string): Change => ({
  write: { ConditionCheck: conditionOf(store, noticeItemKey.endedEndpoint(accountId, endpointId), NO_ITEM) },
  refusal: () =>
    new RefusedError('The endpoint of this Idempotency-Key was deleted. Give another key.', {
      code: 'CHANGED_MEANWHILE',
    }),
});

/** Counts a new endpoint of an account: never above {@link MAX_ENDPOINTS}. */
const countEndpoint = (store: AccountStore, accountId: string): Change => ({
  write: {
    Update: updateOf(store, {
      key: noticeItemKey.endpointCount(accountId),
      when: { count: absentOr(below(MAX_ENDPOINTS)) },
      add: { count: 1 },
    }),
  },
  refusal: () =>
    limitReached(`There are ${MAX_ENDPOINTS} endpoints in the account, which is the limit.`, 'Delete one first.'),
});

/** Counts one endpoint less. */
const uncountEndpoint = (store: AccountStore, accountId: string): Change => ({
  write: {
    Update: updateOf(store, {
      key: noticeItemKey.endpointCount(accountId),
      when: { count: above(0) },
      add: { count: -1 },
    }),
  },
});
