import * as v from 'valibot';
import { Email, Role } from './fields.ts';
import { MemberId } from './ids.ts';
import { CREATION_CODES, Empty, type PortalOperation } from './operation.ts';
import { GivenRole, MaybeText, Moment } from './values.ts';

/** An invitation to an account. */
const Invite = v.object({ email: Email, role: Role });
/** Another role of a member. */
const RoleChange = v.object({ role: Role });

const Member = v.strictObject({
  memberId: MemberId,
  /** Null: the provider tells none. */
  email: MaybeText,
  /** Null: not known, as before an invitation is accepted. */
  name: MaybeText,
  role: GivenRole,
  status: v.picklist(['active', 'invited']),
  createdAt: Moment,
  /**
   * In the list: what became of the last mail to them; null: none was sent yet. `limited`: as many as may be were sent
   * today. `bounced`: the address takes no mail. `stopped`: they want none.
   */
  mail: v.exactOptional(v.nullable(v.picklist(['sent', 'limited', 'held', 'bounced', 'stopped', 'refused']))),
});
export type Member = v.InferOutput<typeof Member>;

/** The people of an account. Its last active owner stays owner. */
export const memberContract = {
  listMembers: {
    route: 'GET /api/accounts/{accountId}/members',
    by: 'viewer',
    isFree: true,
    answers: { 200: v.strictObject({ members: v.array(Member) }) },
  },
  /** It lives for 14 days. A person invites one address only so often a day (UTC), in all accounts together. */
  inviteMember: {
    route: 'POST /api/accounts/{accountId}/members',
    by: 'owner',
    isRepeatable: true,
    body: Invite,
    answers: { 201: v.strictObject({ memberId: MemberId }) },
    refuses: [...CREATION_CODES, 'ALREADY_MEMBER'],
  },
  updateMember: {
    route: 'PATCH /api/accounts/{accountId}/members/{memberId}',
    by: 'owner',
    body: RoleChange,
    answers: { 200: Member },
    refuses: ['LAST_OWNER'],
  },
  /** Also the withdrawal of an invitation; and each member may leave. */
  removeMember: {
    route: 'DELETE /api/accounts/{accountId}/members/{memberId}',
    by: 'owner',
    answers: { 204: Empty },
    refuses: ['LAST_OWNER'],
  },
} as const satisfies Record<string, PortalOperation>;
