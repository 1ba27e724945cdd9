import * as v from 'valibot';
import { Account } from './accounts.ts';
import { AccountId } from './ids.ts';
import { AnyCursor, type Continued, Limited } from './lists.ts';
import { Empty, type PortalOperation } from './operation.ts';
import { GivenName, GivenRole, Moment, NextCursor } from './values.ts';

/** The query of the list. */
export const invitationQuery = (cursor: Continued) => v.intersect([Limited, cursor]);

/** An invitation, for the person with the address. */
export const Invitation = v.strictObject({
  accountId: AccountId,
  accountName: GivenName,
  role: GivenRole,
  /** Of a person the name or address that they go by. It may be any text: show it as a quotation. */
  invitedBy: v.string(),
  /** `operator`: the platform team. No name makes a person one. */
  invitedByKind: v.picklist(['person', 'operator']),
  expiresAt: Moment,
});
export type Invitation = v.InferOutput<typeof Invitation>;

const Invitations = v.strictObject({ invitations: v.array(Invitation), cursor: NextCursor });
export type Invitations = v.InferOutput<typeof Invitations>;

/** The invitations to the verified address of a person. One that is no more is a 404. */
export const invitationContract = {
  /** Newest first. A page skips what has expired or was answered, so it may show few and still have a cursor. */
  listInvitations: {
    route: 'GET /api/invitations',
    by: 'person',
    query: invitationQuery(AnyCursor),
    answers: { 200: Invitations },
  },
  /** By its account, as in the link of its mail: also where there are many others. */
  getInvitation: { route: 'GET /api/invitations/{accountId}', by: 'person', answers: { 200: Invitation } },
  /** Accepted before, it has the same answer again. One to a further address of a member can only be declined. */
  acceptInvitation: {
    route: 'POST /api/invitations/{accountId}/accept',
    by: 'person',
    answers: { 200: Account },
    refuses: ['ALREADY_MEMBER', 'CHANGED_MEANWHILE'],
  },
  declineInvitation: {
    route: 'POST /api/invitations/{accountId}/decline',
    by: 'person',
    answers: { 204: Empty },
    refuses: ['CHANGED_MEANWHILE'],
  },
} as const satisfies Record<string, PortalOperation>;
