import type { Hono } from 'hono';
import { inviteMember } from '../../accounts/team/invitations.ts';
import { removeMember, updateMember } from '../../accounts/team/members.ts';
import { readMailStates, type MailState } from '../../accounts/mail/mail-states.ts';
import { listMembers, memberView } from '../../accounts/team/stored-members.ts';
import { authorizeChange } from '../changes.ts';
import { CHANGE, READ } from '../writes.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { Invite, RoleChange } from '../contract/requests/members.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import { pathId } from '../paths.ts';
import { authorizeAccountRead } from '../reads.ts';
import type { MailDependencies } from './mails.ts';

const INVITATION = ['INVITED/ACCOUNT', 'INVITED/UNTIL'] as const;
/** What each route writes. */
const WRITES = {
  invite: [...CHANGE, 'USED/INVITED', 'ACCOUNT/ACCOUNT', 'ACCOUNT/MEMBER', 'ACCOUNT/INVITED', ...INVITATION],
  setRole: [...CHANGE, 'ACCOUNT/ACCOUNT', 'ACCOUNT/MEMBER'],
  remove: [...CHANGE, 'ACCOUNT/ACCOUNT', 'ACCOUNT/MEMBER', ...INVITATION, 'USER/ACCOUNT'],
} as const;

/** The people of an account. */
export function memberRoutes(app: Hono<PortalEnvironment>, dependencies: MailDependencies): void {
  addRoute(app, ROUTES.listMembers, READ, async (c) => {
    const { store, membership } = await authorizeAccountRead(c, dependencies);
    const { accountId } = membership;
    const members = await Array.fromAsync(listMembers(store, accountId));
    const memberIds = members.map(({ memberId }) => memberId);
    const mails = dependencies.hasMail
      ? await readMailStates(store, accountId, memberIds)
      : new Map<string, MailState>();
    return c.json({
      members: members.map((member) => ({ ...memberView(member), mail: mails.get(member.memberId) ?? null })),
    });
  });

  addRoute(app, ROUTES.inviteMember, WRITES.invite, async (c) => {
    const { store, accountId, input, idempotencyKey } = await authorizeChange(c, dependencies, Invite);
    return c.json({ memberId: await inviteMember(store, accountId, input, idempotencyKey) }, 201);
  });

  addRoute(app, ROUTES.updateMember, WRITES.setRole, async (c) => {
    const { store, accountId, input } = await authorizeChange(c, dependencies, RoleChange);
    return c.json(memberView(await updateMember(store, accountId, pathId(c, 'memberId'), input.role)));
  });

  addRoute(app, ROUTES.removeMember, WRITES.remove, async (c) => {
    const { store, accountId } = await authorizeChange(c, dependencies);
    await removeMember(store, accountId, pathId(c, 'memberId'));
    return c.body(null, 204);
  });
}
