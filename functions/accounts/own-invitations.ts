import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { isoTime } from '../core/clock.ts';
import { available, listed } from '../store/client.ts';
import { callOptions, names, readItem } from '../store/items.ts';
import { accountItemKey } from './account-items.ts';
import type { AccountStore } from './account-store.ts';
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
 * One invitation to a person's verified address, found by its account, however many others there are: two sequential reads;
 * undefined: there is none that is alive.
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
 * A page of the invitations to a person's verified address that are alive, newest first, at the cost of what it shows: two
 * sequential reads. One query goes down the list of the address, by their ends, and from there on down the same invitations
 * by account: those from before there were lists are shown from there, in the order of accounts, until they expire. What is
 * skipped are the others, which were listed, and what has expired: a page may show fewer, and go on.
 *
 * @param before only those behind this one: `next` of the page before
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

/** By account those are shown that are in no list: each is shown once. */
const isShown = (position: Position, { ttl }: StoredInvitation): boolean => isListing(position) || ttl === undefined;

/** Reads from a position on, and says where it has ended, if not with the last. */
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
    // Each invitation both ways, so that who has few of them is told that there are no more. The one that the page before
    // ended with is read again; and one more tells whether there are more.
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

/** Adds what is at the account and at the member-to-be. What was answered or withdrawn meanwhile is left out. */
async function completed(store: AccountStore, page: readonly StoredInvitation[]): Promise<OwnInvitation[]> {
  const found = await withAccounts(store, page);
  return found.flatMap(({ membership: invitation, account: { name }, member }) => {
    if (member.status !== 'invited') return [];
    // Of one from before the kind was noted nobody can say that it is the platform team's.
    const { accountId, invitedBy, invitedByKind = 'person', expiresAtMs } = invitation;
    return [
      { accountId, accountName: name, role: member.role, invitedBy, invitedByKind, expiresAt: isoTime(expiresAtMs) },
    ];
  });
}
