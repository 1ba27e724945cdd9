import { accountItemKey } from '../../accounts/account-items.ts';
import type { AccountStore } from '../../accounts/account-store.ts';
import type { StoredEndpoint } from '../../accounts/endpoints/stored-endpoints.ts';
import { readActive } from '../../accounts/tokens/active-tokens.ts';
import { noticeItemKey } from '../../accounts/mail/notice-items.ts';
import { locateKey } from '../../accounts/keys/stored-keys.ts';
import type { StoredMember } from '../../accounts/team/stored-members.ts';
import type { StoredProject } from '../../accounts/projects/stored-projects.ts';
import type { StoredUser } from '../../accounts/people/users.ts';
import { itemKey, readItem } from '../../shared/store/items.ts';
import type { Notice } from '../notice.ts';
import type { Addressee } from './addressee.ts';
import type { NamedNotice } from './contents.ts';

/** Adds the names that a mail shows, as of now. */
export async function withNames(
  store: AccountStore,
  notice: Notice,
  { account, invitation }: Pick<Addressee, 'account' | 'invitation'>,
): Promise<NamedNotice> {
  const { accountId, projectId, keyId, memberId, userId, endpointId, tokenId } = notice;
  const [project, key, member, user, endpoint, active] = await Promise.all([
    projectId === undefined ? undefined : readItem<StoredProject>(store, itemKey.project(projectId)),
    projectId === undefined || keyId === undefined ? undefined : locateKey(store, projectId, keyId),
    memberId === undefined ? undefined : readItem<StoredMember>(store, accountItemKey.member(accountId, memberId)),
    userId === undefined ? undefined : readItem<StoredUser>(store, accountItemKey.user(userId)),
    endpointId === undefined
      ? undefined
      : readItem<StoredEndpoint>(store, noticeItemKey.endpoint(accountId, endpointId)),
    tokenId === undefined ? undefined : readActive(store, accountId),
  ]);
  return {
    notice,
    names: {
      account: account.name,
      project: project?.name,
      key: key?.name,
      token: tokenId === undefined ? undefined : active?.[tokenId]?.name,
      endpointUrl: endpoint?.url,
      member: user?.name ?? user?.email ?? member?.name ?? member?.email ?? undefined,
      ...(invitation && {
        inviter: { kind: invitation.invitedByKind, name: invitation.invitedBy },
        invitation: { role: member?.role ?? 'member', expiresAtMs: invitation.expiresAtMs },
      }),
    },
  };
}
