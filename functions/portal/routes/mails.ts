import type { Hono } from 'hono';
import { readStopToken, resumeMails, stopMails, type MailStop } from '../../accounts/mail/mailed-addresses.ts';
import { readThresholds, updateThresholds } from '../../accounts/team/notice-thresholds.ts';
import { readOwnerMails, updateOwnerMails } from '../../accounts/team/owner-mails.ts';
import { authorizeChange } from '../changes.ts';
import { OwnerMailsChanges, ThresholdsChanges } from '../contract/requests/mails.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import { CHANGE, READ } from '../writes.ts';
import type { PortalContext, PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { PortalError } from '../errors.ts';
import { authorizeAccountRead } from '../reads.ts';
import type { AuthorityDependencies } from '../session/authority.ts';

export interface MailDependencies extends AuthorityDependencies {
  /** Whether the stage sends mail. */
  readonly hasMail?: boolean;
}

/** The page that asks for confirmation before it stops mails. */
const STOP_PAGE = '/mails/stop';

/** What each route writes. */
const WRITES = {
  update: [...CHANGE, 'ACCOUNT/ACCOUNT'],
  thresholds: [...CHANGE, 'ACCOUNT/ACCOUNT', 'EXPIRY-DAYS/'],
  stop: ['MAILED/OPTOUT', 'NOTICES/MAIL-OPTOUT'],
} as const;

/** When the owners of an account are told and which mails they get, and how the holder of a mail stops them. */
export function mailRoutes(app: Hono<PortalEnvironment>, dependencies: MailDependencies): void {
  addRoute(app, ROUTES.getOwnerMails, READ, async (c) => {
    const { store, membership } = await authorizeAccountRead(c, dependencies);
    return c.json(await readOwnerMails(store, membership.accountId));
  });

  addRoute(app, ROUTES.updateOwnerMails, WRITES.update, async (c) => {
    const { store, accountId, input } = await authorizeChange(c, dependencies, OwnerMailsChanges);
    return c.json(await updateOwnerMails(store, accountId, input));
  });

  addRoute(app, ROUTES.getThresholds, READ, async (c) => {
    const { store, membership } = await authorizeAccountRead(c, dependencies);
    return c.json(await readThresholds(store, membership.accountId));
  });

  addRoute(app, ROUTES.updateThresholds, WRITES.thresholds, async (c) => {
    const { store, accountId, input } = await authorizeChange(c, dependencies, ThresholdsChanges);
    return c.json(await updateThresholds(store, accountId, input));
  });

  // Mail scanners open every link, so this request changes nothing.
  addRoute(app, ROUTES.askToStopMails, READ, (c) =>
    c.redirect(`${STOP_PAGE}?${new URLSearchParams({ token: c.req.query('token') ?? '' }).toString()}`, 303),
  );

  // Sent by the page, or by a mail program without a question. Its body is ignored.
  addRoute(app, ROUTES.stopMails, WRITES.stop, async (c) => {
    await stopMails(ownStore(c), await stopOf(c));
    return c.body(null, 204);
  });

  addRoute(app, ROUTES.resumeMails, WRITES.stop, async (c) => {
    await resumeMails(ownStore(c), await stopOf(c));
    return c.body(null, 204);
  });

  const ownStore = (c: PortalContext) => ({ ...dependencies.store, deadline: c.get('state').deadline });

  /** What the token in the address allows. Refuses a token that the portal did not make. */
  async function stopOf(c: PortalContext): Promise<MailStop> {
    const stop = await readStopToken(ownStore(c), c.req.query('token') ?? '');
    if (!stop) throw new PortalError('NOT_FOUND');
    return stop;
  }
}
