import type { AuditEvent, AuditValues } from '../../accounts/authority/audit.ts';
import { AUDIT_PREFIX } from '../../accounts/store/account-items.ts';
import type { StoredItem } from '../../accounts/store/account-store.ts';
import { bytesOf } from '../../accounts/store/idempotency.ts';
import { MARK_PREFIX } from '../../accounts/store/notice-items.ts';
import { randomBase62 } from '../../shared/ids.ts';
import { NOTICE_TYPES, type Notice, type NoticeType } from '../notice.ts';

/** A marker as stored: a threshold that was reached, or a key that will expire. These have no audit event. */
export interface Marker extends Omit<Notice, 'id' | 'actor'> {
  /** The same check found a higher threshold, and only that one gets a notice. */
  readonly superseded?: true;
  /** In epoch seconds; absent: it is kept. */
  readonly ttl?: number;
}

/** The notice of an item of the Gateway table. Undefined: the item has no notice. Throws for an invalid item. */
export function noticeOf(item: StoredItem): Notice | undefined {
  const sk = textOf(item.sk);
  const told = sk.startsWith(AUDIT_PREFIX)
    ? changeOf(item as never)
    : sk.startsWith(MARK_PREFIX)
      ? markedOf(item as never)
      : undefined;
  if (!told) return undefined;
  const accountId = textOf(item.accountId);
  return { id: noticeId(accountId, sk), ...told, accountId, at: textOf(item.at) };
}

const ID_LENGTH = 16;

/** Derived from the source, so a repeat has the same id. */
const noticeId = (accountId: string, sk: string): string =>
  `ntc_${randomBase62(ID_LENGTH, bytesOf(['notice', accountId, sk]))}`;

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error('an item of a notice has no text');
  return value;
}

type Told = Pick<Notice, 'type' | 'data'> & Partial<Omit<Notice, 'id' | 'at' | 'accountId'>>;

function markedOf({
  type,
  data,
  projectId,
  keyId,
  memberId,
  userId,
  endpointId,
  tokenId,
  superseded,
}: Marker): Told | undefined {
  if (!NOTICE_TYPES.includes(type) || typeof data !== 'object') throw new Error('a marker has no known type');
  if (superseded) return undefined;
  return { type, data, ...present({ projectId, keyId, memberId, userId, endpointId, tokenId }) };
}

/** The notice of an audit event. Only changes that concern others than their author have one. */
function changeOf(event: AuditEvent): Told | undefined {
  const { actor, projectId, keyId, memberId, userId, endpointId, action, before, after } = event;
  const tell = (type: NoticeType, data: Notice['data'] = {}): Told => ({
    type,
    data,
    actor,
    ...present({ projectId, keyId, memberId, userId, endpointId }),
  });
  switch (action) {
    case 'member.add':
      // A person whom the platform team makes an owner is active at once, and was not invited.
      return after?.status === 'invited' ? tell('invitation.created', { role: plain(after, 'role') }) : undefined;
    // The endpoint knows of it already.
    case 'member.resend':
      return tell('invitation.created', { role: plain(after, 'role'), isAgain: true });
    case 'member.join':
      return tell('invitation.accepted');
    case 'member.decline':
      return tell('invitation.declined');
    case 'member.update':
      return tell('member.role_changed', { before: plain(before, 'role'), after: plain(after, 'role') });
    case 'member.remove':
      return tell('member.removed', { role: plain(before, 'role') });
    case 'project.suspend':
      return tell('project.suspended');
    case 'project.update':
      return after && 'quotaLimit' in after
        ? tell('project.limits_changed', { before: plain(before, 'quotaLimit'), after: plain(after, 'quotaLimit') })
        : undefined;
    case 'key.report':
      return tell('key.leaked', { foundAt: plain(after, 'foundAt'), isRevoked: after?.status === 'revoked' });
    case 'endpoint.disable':
      return tell('endpoint.disabled');
    default:
      return undefined;
  }
}

/** One value of the audit. Null: it is absent, or it is a list. */
function plain(values: AuditValues | null, name: string): string | number | boolean | null {
  const value = values?.[name] ?? null;
  return typeof value === 'object' ? null : value;
}

/** The members that have a value. */
const present = (
  members: Partial<
    Record<'projectId' | 'keyId' | 'memberId' | 'userId' | 'endpointId' | 'tokenId', string | undefined>
  >,
) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<
    Record<keyof typeof members, string>
  >;
