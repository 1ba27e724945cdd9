import { kindOf, peopleOf } from '../../accounts/audit/recent-audit.ts';
import { authorityRefusal } from '../../accounts/authority/authority.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { listMembers } from '../../accounts/team/stored-members.ts';
import type { UsageEvent } from '../../shared/request/usage-event.ts';
import { causeOf } from '../../usage/events/cause.ts';
import type { Cause } from '../contract/events.ts';

/**
 * The cause of a request for a member of its account, as the member `cause` of an answer: owners see who made a change
 * as the audit shows it, others a name alone.
 */
export async function causeForPerson(
  store: AccountStore,
  accountId: string,
  event: UsageEvent,
): Promise<{ readonly cause?: Cause }> {
  const cause = await causeOf(store, accountId, event);
  if (!cause || !('change' in cause)) return cause ? { cause } : {};
  const members = await Array.fromAsync(listMembers(store, accountId));
  const { userId = '', membership } = store.caller ?? {};
  const own = members.find(({ memberId }) => memberId === membership?.memberId);
  // Removed meanwhile.
  const refusal = authorityRefusal(own && { ...own }, userId, 'viewer');
  if (refusal) throw refusal;
  const [change] = await peopleOf(store, members)([cause.change]);
  if (!change) return {};
  const { action, at } = cause.change;
  const { actor, actorEmail, actorKind: byKind, actorId } = change;
  if (own?.role === 'owner') {
    return { cause: { action, at, by: actor, byKind, ...(actorEmail !== null && { byEmail: actorEmail }) } };
  }
  const name = members.find(({ memberId }) => memberId === actorId)?.name;
  const by = byKind === 'member' ? (name ?? 'a member') : byKind === 'former' ? 'former member' : actor;
  return { cause: { action, at, by, byKind } };
}

/** The same for a token, which learns no name. */
export async function causeForToken(store: AccountStore, accountId: string, event: UsageEvent) {
  const cause = await causeOf(store, accountId, event);
  if (!cause || !('change' in cause)) return cause ? { cause } : {};
  const { action, at } = cause.change;
  return { cause: { action, at, by: kindOf(cause.change) } };
}
