import * as v from 'valibot';
import { MemberId } from './ids.ts';
import { Invite, RoleChange } from './requests/members.ts';
import { CREATION_CODES, Empty, FIND_CODES, OWNERS_CHANGE_CODES, type PortalOperation } from './route.ts';
import { GivenRole, MaybeText, Moment } from './values.ts';

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
  listMembers: { answers: { 200: v.strictObject({ members: v.array(Member) }) }, refuses: FIND_CODES },
  /** It lives for 14 days. A person invites one address only so often a day (UTC), in all accounts together. */
  inviteMember: {
    isRepeatable: true,
    body: Invite,
    answers: { 201: v.strictObject({ memberId: MemberId }) },
    refuses: [...OWNERS_CHANGE_CODES, ...CREATION_CODES, 'ALREADY_MEMBER'],
  },
  updateMember: { body: RoleChange, answers: { 200: Member }, refuses: [...OWNERS_CHANGE_CODES, 'LAST_OWNER'] },
  /** Also the withdrawal of an invitation; and each member may leave. */
  removeMember: { answers: { 204: Empty }, refuses: [...OWNERS_CHANGE_CODES, 'LAST_OWNER'] },
} as const satisfies Record<string, PortalOperation>;
