import type { Hono } from 'hono';
import { inviteMember } from '../../accounts/team/invitations.ts';
import { removeMember, updateMember } from '../../accounts/team/members.ts';
import { readMailStates, type MailState } from '../../accounts/mail/mail-states.ts';
import { listMembers, memberView } from '../../accounts/team/stored-members.ts';
import { authorizeChange } from '../changes.ts';
import { CHANGE, declares, READ } from '../declares.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { Nothing } from '../contract/requests/fields.ts';
import { Invite, RoleChange } from '../contract/requests/members.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import { pathId } from '../paths.ts';
import { authorizeAccountRead } from '../reads.ts';
import type { MailDependencies } from './mails.ts';

const INVITATION = ['INVITED/ACCOUNT', 'INVITED/UNTIL'] as const;
/** What each route writes, and who may set which member of its body. */
const MAY = {
  invite: declares({
    writes: [...CHANGE, 'USED/INVITED', 'ACCOUNT/ACCOUNT', 'ACCOUNT/MEMBER', 'ACCOUNT/INVITED', ...INVITATION],
    sets: { email: 'owner', role: 'owner' },
  }),
  setRole: declares({ writes: [...CHANGE, 'ACCOUNT/ACCOUNT', 'ACCOUNT/MEMBER'], sets: { role: 'owner' } }),
  remove: declares({ writes: [...CHANGE, 'ACCOUNT/ACCOUNT', 'ACCOUNT/MEMBER', ...INVITATION, 'USER/ACCOUNT'] }),
};

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

  addRoute(app, ROUTES.inviteMember, MAY.invite, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store, input, idempotencyKey } = await authorizeChange(c, dependencies, accountId, Invite);
    return c.json({ memberId: await inviteMember(store, accountId, input, idempotencyKey) }, 201);
  });

  addRoute(app, ROUTES.updateMember, MAY.setRole, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store, input } = await authorizeChange(c, dependencies, accountId, RoleChange);
    return c.json(memberView(await updateMember(store, accountId, pathId(c, 'memberId'), input.role)));
  });

  addRoute(app, ROUTES.removeMember, MAY.remove, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store } = await authorizeChange(c, dependencies, accountId, Nothing);
    await removeMember(store, accountId, pathId(c, 'memberId'));
    return c.body(null, 204);
  });
}
