import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { isoTime } from '../../shared/rules/clock.ts';
import { available, listed } from '../../shared/store/client.ts';
import { callOptions, names, readItem } from '../../shared/store/items.ts';
import { accountItemKey } from '../account-items.ts';
import type { AccountStore } from '../account-store.ts';
import { isAlive, type InvitedByKind, type StoredInvitation } from './invitation-items.ts';
import { withAccounts } from './memberships.ts';
import type { Person } from './own-accounts.ts';
import type { MemberRole } from './stored-members.ts';

/** An invitation for display to its person. */
interface OwnInvitation {
  readonly accountId: string;
  readonly accountName: string;
  readonly role: MemberRole;
  readonly invitedBy: string;
  readonly invitedByKind: InvitedByKind;
  readonly expiresAt: string;
}

/** Some of the invitations to a person's verified address. */
export interface InvitationPage {
  readonly invitations: readonly OwnInvitation[];
  /** The start of the next page; undefined: there is none. */
  readonly next: string | undefined;
}

/**
 * One invitation to a person's verified address, by its account, however many others there are. Two sequential reads.
 * Undefined: there is no valid invitation.
 */
export async function readOwnInvitation(
  store: AccountStore,
  { email, emailVerified }: Person,
  accountId: string,
): Promise<OwnInvitation | undefined> {
  if (email === undefined || !emailVerified) return undefined;
  const invitation = await readItem<StoredInvitation>(store, accountItemKey.invitation(email, accountId));
  if (!isAlive(invitation, store.clock.now())) return undefined;
  const [shown] = await completed(store, [invitation]);
  return shown;
}

/** Sorts behind every account id and every time. */
const LAST = '~';

/**
 * A page of the valid invitations to a person's verified address, newest first. Two sequential reads, which cost what
 * the page shows. One query reads down the list of the address, by end, and then the same invitations by account. The
 * second part shows only those that are in no list, from an older version, in the order of accounts, until they expire.
 * Listed and expired ones are skipped there. So a page may show fewer, and have a next page.
 * @param before only those after this position in the order of the list: `next` of the previous page
 */
export async function readInvitationPage(
  store: AccountStore,
  { email, emailVerified }: Person,
  { limit, before }: { readonly limit: number; readonly before?: string | undefined },
): Promise<InvitationPage> {
  if (email === undefined || !emailVerified) return { invitations: [], next: undefined };
  const nowMs = store.clock.now();
  const { entries, end } = await readEntries(store, email, limit, before);
  const alive = entries.filter(
    ({ position, invitation }) => position !== before && isShown(position, invitation) && isAlive(invitation, nowMs),
  );
  const page = alive.slice(0, limit);
  return {
    invitations: await completed(
      store,
      page.map(({ invitation }) => invitation),
    ),
    next: alive.length > limit ? page.at(-1)?.position : end,
  };
}

/** `<end>#<account id>` in the list, or the id alone. */
type Position = string;
const isListing = (position: Position): boolean => position.includes('#');
const sortKeyOf = (email: string, position: Position): string =>
  (isListing(position) ? accountItemKey.invitationListing : accountItemKey.invitation)(email, position).sk;
const positionOf = ({ sk }: Record<string, unknown>): Position => (sk as string).slice((sk as string).indexOf('#') + 1);

/** By account only those are shown that are in no list. So each is shown once. */
const isShown = (position: Position, { ttl }: StoredInvitation): boolean => isListing(position) || ttl === undefined;

/** Reads from a position on, and returns where it ended, unless it reached the end. */
async function readEntries(store: AccountStore, email: string, limit: number, before: Position | undefined) {
  const command = new QueryCommand({
    TableName: store.tables.gateway,
    KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :first AND :until',
    ExpressionAttributeNames: names('pk', 'sk'),
    ExpressionAttributeValues: {
      ':pk': accountItemKey.invitation(email, '').pk,
      ':first': accountItemKey.invitation(email, '').sk,
      ':until': before === undefined ? accountItemKey.invitationListing(email, LAST).sk : sortKeyOf(email, before),
    },
    ConsistentRead: true,
    ScanIndexForward: false,
    // Reads each invitation in both ways, so that a short list ends on one page. The last one of the previous page is
    // read again, and one more shows whether there are more.
    Limit: 2 * limit + 2,
  });
  const page = await available(store.client.send(command, callOptions(store)));
  return {
    entries: listed(page).map((item) => ({
      position: positionOf(item),
      invitation: item as unknown as StoredInvitation,
    })),
    end: page.LastEvaluatedKey && positionOf(page.LastEvaluatedKey),
  };
}

/** Adds data of the account and of the invited member. Omits invitations that were answered or withdrawn meanwhile. */
async function completed(store: AccountStore, page: readonly StoredInvitation[]): Promise<OwnInvitation[]> {
  const found = await withAccounts(store, page);
  return found.flatMap(({ membership: invitation, account: { name }, member }) => {
    if (member.status !== 'invited') return [];
    // An older invitation does not tell whether the platform team made it.
    const { accountId, invitedBy, invitedByKind = 'person', expiresAtMs } = invitation;
    return [
      { accountId, accountName: name, role: member.role, invitedBy, invitedByKind, expiresAt: isoTime(expiresAtMs) },
    ];
  });
}
