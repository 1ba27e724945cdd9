import { answer, api } from '../api/client.ts';
import type { ProjectIds } from '../api/usage-queries.ts';

/** What people and the audit know such a key by. */
const HOUR_KEY_NAME = 'Try it, in the documentation';
const LIFETIME_HOURS = 1;
const HOUR_MS = 3_600_000;
/** A key that ends while its request is under way helps nobody. */
const LEAST_LEFT_MS = 10_000;

const KEYS = '/api/accounts/{accountId}/projects/{projectId}/keys';

/** What is told of the key; the key itself stays with its {@link HourKeys}. */
export interface HourKeyView {
  readonly ids: ProjectIds;
  readonly lastFour: string;
  /** By the clock of this machine, and never later than the portal's. */
  readonly endsAtMs: number;
}

interface HourKey extends HourKeyView {
  readonly keyId: string;
  readonly key: string;
}

/** The one key of the console. It is in this closure alone. */
export interface HourKeys {
  /**
   * The key of a project: the present one, or a new one for an hour. Any other one ends. Undefined: it was ended while it
   * was made. Throws a PortalError.
   */
  readonly keyFor: (ids: ProjectIds) => Promise<{ readonly key: string; readonly view: HourKeyView } | undefined>;
  /** Ends the key, if there is one, and one that is being made. The page may go meanwhile; what is not heard ends by itself. */
  readonly end: () => Promise<void>;
  /** Forgets a key that has ended by itself. */
  readonly forget: () => void;
}

/** The console's key: none yet. */
export function hourKeys(): HourKeys {
  let current: HourKey | undefined;
  /** Of the attempt to make one; the same until it succeeded, so that a lost answer leaves no second key. */
  let attempt = { of: '', idempotencyKey: '' };
  /** Grows with each end: what was asked for before it is not wanted any more. */
  let ends = 0;

  const end = async (): Promise<void> => {
    const last = current;
    current = undefined;
    ends++;
    if (last) await revoke(last);
  };

  const keyFor: HourKeys['keyFor'] = async (ids) => {
    const isOther = current?.ids.projectId !== ids.projectId;
    if (current && !isOther && current.endsAtMs - LEAST_LEFT_MS > Date.now()) return told(current);
    await end().catch(() => undefined);
    const endsBefore = ends;
    if (attempt.of !== ids.projectId) attempt = { of: ids.projectId, idempotencyKey: crypto.randomUUID() };
    const endsAtMs = Date.now() + LIFETIME_HOURS * HOUR_MS;
    const header = { 'Idempotency-Key': attempt.idempotencyKey };
    const body = { name: HOUR_KEY_NAME, expiresInHours: LIFETIME_HOURS };
    const made = await answer(api.POST(KEYS, { params: { path: ids, header }, body }));
    attempt = { of: '', idempotencyKey: '' };
    const key: HourKey = { ids, ...made, lastFour: made.key.slice(-4), endsAtMs };
    if (ends === endsBefore) {
      current = key;
      return told(key);
    }
    await revoke(key).catch(() => undefined);
    return undefined;
  };

  return { keyFor, end, forget: () => void (current = undefined) };
}

const told = ({ key, ids, lastFour, endsAtMs }: HourKey) => ({ key, view: { ids, lastFour, endsAtMs } });

/** The request outlives the page. The browser says itself that it is of this origin (`Sec-Fetch-Site`). */
async function revoke({ ids, keyId }: HourKey): Promise<void> {
  const path = { ...ids, keyId };
  await answer(api.POST(`${KEYS}/{keyId}/revoke`, { params: { path }, keepalive: true }));
}
