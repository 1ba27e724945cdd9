import type { Hono } from 'hono';
import * as v from 'valibot';
import { listOwnAccounts } from '../../accounts/own-accounts.ts';
import { listOwnInvitations } from '../../accounts/own-invitations.ts';
import { endOwnSession, ownSessions, readSessions } from '../../accounts/own-sessions.ts';
import { endSession } from '../../accounts/sessions.ts';
import { endAllSessions } from '../../accounts/users.ts';
import { beside, besideCheck } from '../../store/beside.ts';
import { askedByPerson } from '../changes.ts';
import { takeBackCookie } from '../cookies.ts';
import { declares } from '../declares.ts';
import type { PortalEnvironment } from '../environment.ts';
import { PortalError } from '../errors.ts';
import { Nothing } from '../fields.ts';
import { pathId } from '../paths.ts';
import type { OpenIdProvider } from '../sign-in/provider.ts';
import { planeOf, readPerson, type AuthorityDependencies } from './authority.ts';
import { SESSION_COOKIE, sessionOf } from './session-cookie.ts';

export interface SessionDependencies extends AuthorityDependencies {
  readonly portalOrigin: string;
  /** Origin of the gateway, where keys are used. */
  readonly gatewayUrl: string;
  readonly stage: string;
  readonly provider: Pick<OpenIdProvider, 'endSessionUrl'>;
}

const SignOut = v.object({ everywhere: v.optional(v.boolean('everywhere is true or false.'), false) });

/** What each route writes, and who may set which member of its body. */
const MAY = {
  end: declares({ writes: ['USER/CHANGES', 'USER/SESSION'] }),
  signOut: declares({ writes: ['USER/SESSION', 'USER/USER'], sets: { everywhere: 'person' } }),
};

/** Who is signed in, and the end of that. */
export function sessionRoutes(app: Hono<PortalEnvironment>, dependencies: SessionDependencies): void {
  const { portalOrigin, gatewayUrl, stage, limits, sessionLimits, provider } = dependencies;

  app.get('/api/session', declares({ writes: [] }), async (c) => {
    const { userId } = sessionOf(c) ?? {};
    if (userId === undefined) throw new PortalError('NOT_SIGNED_IN');
    const plane = planeOf(c, dependencies, userId);
    const known = readPerson(c, dependencies);
    // Invitations are to an address, which is known with the person; accounts need not wait for it.
    const invited = known.then(({ person }) => listOwnInvitations(plane, person.user));
    const [{ person }, [invitations, accounts]] = await besideCheck(plane, known, (own) =>
      beside(invited, listOwnAccounts(own, userId)),
    );
    const { email = null, name = null, emailVerified } = person.user;
    const user = { userId, email, name, emailVerified };
    return c.json({ user, accounts, invitations, gatewayUrl, stage, limits });
  });

  app.get('/api/sessions', declares({ writes: [] }), async (c) => {
    const { userId } = sessionOf(c) ?? {};
    if (userId === undefined) throw new PortalError('NOT_SIGNED_IN');
    const plane = planeOf(c, dependencies, userId);
    const known = readPerson(c, dependencies);
    const [{ person }, sessions] = await besideCheck(plane, known, (own) => readSessions(own, userId));
    const { receivedAtMs } = c.get('state');
    return c.json({ sessions: ownSessions(sessions, person.user, person.reference, receivedAtMs, sessionLimits) });
  });

  app.delete('/api/sessions/:sessionId', MAY.end, async (c) => {
    const { plane, person } = await askedByPerson(c, dependencies, Nothing);
    const ended = await endOwnSession(plane, person.user, pathId(c, 'sessionId'), sessionLimits);
    if (ended.secretHash === person.reference.secretHash) takeBackCookie(c, SESSION_COOKIE);
    return c.body(null, 204);
  });

  app.post('/api/sign-out', MAY.signOut, async (c) => {
    const { plane, person, input } = await askedByPerson(c, dependencies, SignOut);
    await (input.everywhere ? endAllSessions(plane, person.user) : endSession(plane, person.reference));
    takeBackCookie(c, SESSION_COOKIE);
    return c.json({ location: await endOfProvidersSession(person.session.idToken) });
  });

  /** The provider's page for it; without one, without what it wants to be shown, or when it is away: our own. */
  const endOfProvidersSession = async (idToken: string | undefined): Promise<string> => {
    if (idToken === undefined) return '/';
    const url = await provider.endSessionUrl(idToken, `${portalOrigin}/`).catch(() => undefined);
    return url?.href ?? '/';
  };
}
