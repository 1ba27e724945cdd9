import { answer, api } from '../api/client.ts';
import { nowMs } from '../api/clock.ts';
import type { ProjectIds } from '../api/queries.ts';

/** The name of such a key, for people and the audit. */
const HOUR_KEY_NAME = 'Try it, in the documentation';
const LIFETIME_HOURS = 1;
const HOUR_MS = 3_600_000;
/** A key must not end during its request. */
const LEAST_LEFT_MS = 10_000;

const KEYS = '/api/accounts/{accountId}/projects/{projectId}/keys';

/** The attributes of the key. The key itself stays with its {@link HourKeys}. */
export interface HourKeyView {
  readonly projectId: string;
  /** Its beginning and its last characters. */
  readonly shown: string;
  /** Never later than the real end. */
  readonly endsAtMs: number;
}

interface HourKey extends HourKeyView {
  readonly accountId: string;
  readonly keyId: string;
  readonly key: string;
}

/** The key of the console. Only this closure holds it. */
export interface HourKeys {
  /**
   * The key of a project: the present one, or a new one for an hour. A key of another project is ended. Undefined: it
   * was ended while it was being made. Throws a PortalError.
   */
  readonly keyFor: (ids: ProjectIds) => Promise<Pick<HourKey, 'key' | 'shown'> | undefined>;
  /**
   * Ends the key, if there is one, also while it is being made. The page may close meanwhile. If the request fails, the
   * key expires.
   */
  readonly end: () => Promise<void>;
  /** Drops an expired key. */
  readonly forget: () => void;
}

/** The console's key, at first none. Each change of it is shown. */
export function hourKeys(show: (view: HourKeyView | undefined) => void): HourKeys {
  let current: HourKey | undefined;
  /** The Idempotency-Key of the creation. It stays until it succeeded, so a lost answer leaves no second key. */
  let attempt = { of: '', idempotencyKey: '' };
  /** Increases each time a key is ended. A key that was requested before that is not needed any more. */
  let ends = 0;

  const hold = (key: HourKey | undefined): void => {
    current = key;
    show(key && { projectId: key.projectId, shown: key.shown, endsAtMs: key.endsAtMs });
  };

  const end = async (): Promise<void> => {
    const last = current;
    hold(undefined);
    ends++;
    if (last) await revoke(last);
  };

  const keyFor: HourKeys['keyFor'] = async (ids) => {
    const { projectId } = ids;
    if (current?.projectId === projectId && current.endsAtMs - LEAST_LEFT_MS > nowMs()) return current;
    await end();
    const endsBefore = ends;
    if (attempt.of !== projectId) attempt = { of: projectId, idempotencyKey: crypto.randomUUID() };
    const endsAtMs = nowMs() + LIFETIME_HOURS * HOUR_MS;
    const header = { 'Idempotency-Key': attempt.idempotencyKey };
    const body = { name: HOUR_KEY_NAME, expiresInHours: LIFETIME_HOURS };
    const made = await answer(api.POST(KEYS, { params: { path: ids, header }, body }));
    attempt = { of: '', idempotencyKey: '' };
    const key: HourKey = { ...ids, ...made, shown: made.key.replace(/[^_]+(?=.{4}$)/, '…'), endsAtMs };
    if (ends === endsBefore) {
      hold(key);
      return key;
    }
    await revoke(key);
    return undefined;
  };

  return { keyFor, end, forget: () => hold(undefined) };
}

/** The request outlives the page. The browser adds the origin itself (`Sec-Fetch-Site`). */
async function revoke({ accountId, projectId, keyId }: HourKey): Promise<void> {
  const params = { path: { accountId, projectId, keyId } };
  await answer(api.POST(`${KEYS}/{keyId}/revoke`, { params, keepalive: true })).catch(() => undefined);
}
