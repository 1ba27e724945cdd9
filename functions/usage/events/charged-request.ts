import { isoTime, MS_PER_SECOND } from '../../shared/time.ts';
import { StoreUnavailableError } from '../../shared/http/errors.ts';
import { receivedAtOf } from '../../shared/ids.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { replayId, type ReplayScope } from '../../shared/request/metered-request.ts';
import type { UsageEvent } from '../../shared/request/usage-event.ts';
import type { MeteredOperation } from '../../shared/request/operation.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { OPERATIONS } from '../../gateway/operations/index.ts';
import { NO_DEADLINE } from '../../shared/store/client.ts';
import { eventKey, itemKey, type ItemKey } from '../../shared/store/items.ts';
import { readTransaction } from '../../shared/store/tables.ts';
import { toEvent } from './pages.ts';

/** A success that is stored under an Idempotency-Key. */
export interface ChargedRequest {
  /** Undefined: it has expired. */
  readonly event: UsageEvent | undefined;
  /** The time until which a repeat gets the stored response. */
  readonly storedUntilMs: number;
}

/** The names of all operations. */
export const OPERATION_NAMES = OPERATIONS.map(({ name }) => name);

/** A record is replaced at most once a day, so at most the second look finds another one. */
const MAX_LOOKS = 3;

/**
 * The success that is stored under an Idempotency-Key, of one operation or (by default) of any: the newest. Undefined:
 * none.
 */
export async function findCharged(
  store: AccountStore,
  projectId: string,
  { idempotencyKey, operation }: { readonly idempotencyKey: string; readonly operation?: string | undefined },
  operations: readonly MeteredOperation[] = OPERATIONS,
): Promise<ChargedRequest | undefined> {
  const found = await allFulfilled(
    operations
      .filter(({ name }) => name === (operation ?? name))
      .map((each) => findChargedBy(store, projectId, idempotencyKey, each)),
  );
  return found
    .filter((one) => one !== undefined)
    .sort((one, other) => other.storedUntilMs - one.storedUntilMs)
    .at(0);
}

/**
 * The success of an operation that is stored under an Idempotency-Key, with its event. The record holds the key of the
 * event. So the record is read first, and then both in one transaction, which never sees half of a settlement.
 */
async function findChargedBy(
  store: AccountStore,
  projectId: string,
  idempotencyKey: string,
  operation: ReplayScope,
): Promise<ChargedRequest | undefined> {
  const Key = itemKey.replay(projectId, replayId(operation, idempotencyKey));
  const record = { TableName: store.tables.gateway, Key };
  let known: ItemKey | undefined;
  for (let look = 1; look <= MAX_LOOKS; look++) {
    const [stored, event] = (await readTransaction(
      store.client,
      [record, ...(known ? [{ TableName: store.tables.usage, Key: known }] : [])],
      { ...store, deadline: store.deadline ?? NO_DEADLINE },
    )) as (Item | undefined)[];
    if (!isAlive(store, stored)) return undefined;
    const storedUntilMs = Number(stored.ttl) * MS_PER_SECOND;
    const { requestId } = JSON.parse(String(stored.body)) as { readonly requestId: string };
    const timeMs = receivedAtOf(requestId);
    const key = eventKey({ projectId, requestId, occurredAt: isoTime(timeMs ?? 0) });
    if (key.sk === known?.sk) {
      return { event: isAlive(store, event) ? toEvent(event as unknown as UsageEvent) : undefined, storedUntilMs };
    }
    known = key;
  }
  throw new StoreUnavailableError('the replay record was another one at each look');
}

type Item = Readonly<Record<string, unknown>>;

/** Whether an item is there and has not expired: TTL deletes days later. */
const isAlive = ({ clock }: AccountStore, item: Item | undefined): item is Item =>
  item !== undefined && clock.now() < Number(item.ttl) * MS_PER_SECOND;
