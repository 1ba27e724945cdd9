import { capOf } from '../../shared/request/admission.ts';
import { audited, auditValues } from '../authority/audit.ts';
import type { AccountStore, Change } from '../store/account-store.ts';
import { replaceAttributes } from '../store/writes.ts';
import { readWorkingKey } from './key-predecessors.ts';
import { RefusedError } from '../store/refusals.ts';
import type { StoredKey } from './stored-keys.ts';

/** The most requests a minute of a key with a cap: it has one counter, which settles some 60 requests a second. */
export const MAX_CAPPED_RPM = 1_800;

/** Throws `RefusedError` for a cap on a key with more than {@link MAX_CAPPED_RPM}. */
export function requireOneCounter(
  { keyId, rpm }: Pick<StoredKey, 'keyId' | 'rpm'>,
  unitsLimit: number | undefined,
): void {
  if (unitsLimit === undefined || rpm <= MAX_CAPPED_RPM) return;
  throw new RefusedError(`Key ${keyId}: a limit of units needs a rate limit of at most ${MAX_CAPPED_RPM} a minute.`, {
    publicDetail: 'A limit of units needs a lower rate limit. Ask the platform team for one.',
  });
}

/**
 * Gives the new cap of a key also to its predecessor, if that still works, with an audit event of its own. Both spend
 * from one counter under one limit.
 */
export async function withSameCap(store: AccountStore, accountId: string, key: StoredKey): Promise<Change[]> {
  const other = await readWorkingKey(store, key.projectId, key.replaces);
  if (!other) return [];
  const { pk, sk, projectId, keyId, status, expiresAtMs, rpm, unitsLimit, capId } = other;
  const cap = capOf(key);
  requireOneCounter(other, cap?.limit);
  return [
    replaceAttributes(store, {
      key: { pk, sk },
      what: `Key ${keyId}`,
      seen: { status, expiresAtMs, rpm, unitsLimit, capId },
      after: { unitsLimit: cap?.limit, capId: capId ?? cap?.id },
    }),
    await audited(
      store,
      'key.update',
      { accountId, projectId, keyId },
      { before: auditValues({ unitsLimit }), after: auditValues({ unitsLimit: cap?.limit }) },
    ),
  ];
}
