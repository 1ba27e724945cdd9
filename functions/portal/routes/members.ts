import { readMailStates, type MailState } from '../../accounts/mail/mail-states.ts';
import { inviteMember } from '../../accounts/team/invitations.ts';
import { removeMember, updateMember } from '../../accounts/team/members.ts';
import { listMembers, memberView } from '../../accounts/team/stored-members.ts';
import { memberContract } from '../contract/members.ts';
import { serve } from '../serve/serve.ts';

/** The people of an account. */
export const memberRoutes = [
  serve(memberContract.listMembers, async ({ store, accountId, dependencies }) => {
    const members = await Array.fromAsync(listMembers(store, accountId));
    const memberIds = members.map(({ memberId }) => memberId);
    const mails = dependencies.hasMail
      ? await readMailStates(store, accountId, memberIds)
      : new Map<string, MailState>();
    return { members: members.map((member) => ({ ...memberView(member), mail: mails.get(member.memberId) ?? null })) };
  }),

  serve(memberContract.inviteMember, async ({ store, accountId, input, idempotencyKey }) => ({
    memberId: await inviteMember(store, accountId, input, idempotencyKey),
  })),

  serve(memberContract.updateMember, async ({ store, accountId, id, input }) =>
    memberView(await updateMember(store, accountId, id('memberId'), input.role)),
  ),

  serve(memberContract.removeMember, ({ store, accountId, id }) => removeMember(store, accountId, id('memberId'))),
];
