import { readStopToken, resumeMails, stopMails, type MailStop } from '../../accounts/mail/mailed-addresses.ts';
import { readThresholds, updateThresholds } from '../../accounts/team/notice-thresholds.ts';
import { readOwnerMails, updateOwnerMails } from '../../accounts/team/owner-mails.ts';
import { mailContract } from '../contract/mails.ts';
import type { PortalDependencies } from '../request/dependencies.ts';
import { PortalError } from '../contract/errors.ts';
import type { PortalContext } from '../request/hono-context.ts';
import { serve, type Served } from '../serve/serve.ts';

/** The page that asks for confirmation before it stops mails. */
const STOP_PAGE = '/mails/stop';

/** When the owners of an account are told and which mails they get, and how the holder of a mail stops them. */
export const mailRoutes: readonly Served[] = [
  serve(mailContract.getOwnerMails, ({ store, accountId }) => readOwnerMails(store, accountId)),
  serve(mailContract.updateOwnerMails, ({ store, accountId, input }) => updateOwnerMails(store, accountId, input)),
  serve(mailContract.getThresholds, ({ store, accountId }) => readThresholds(store, accountId)),
  serve(mailContract.updateThresholds, ({ store, accountId, input }) => updateThresholds(store, accountId, input)),

  {
    // Mail scanners open every link, so this request changes nothing.
    operation: mailContract.askToStopMails,
    handle: (c) =>
      c.redirect(`${STOP_PAGE}?${new URLSearchParams({ token: c.req.query('token') ?? '' }).toString()}`, 303),
  },
  {
    // Sent by the page, or by a mail program without a question. Its body is ignored.
    operation: mailContract.stopMails,
    handle: async (c, dependencies) => {
      await stopMails(ownStore(c, dependencies), await stopOf(c, dependencies));
      return c.body(null, 204);
    },
  },
  {
    operation: mailContract.resumeMails,
    handle: async (c, dependencies) => {
      await resumeMails(ownStore(c, dependencies), await stopOf(c, dependencies));
      return c.body(null, 204);
    },
  },
];

const ownStore = (c: PortalContext, { store }: PortalDependencies) => ({ ...store, deadline: c.get('state').deadline });

/** What the token in the address allows. Refuses a token that the portal did not make. */
async function stopOf(c: PortalContext, dependencies: PortalDependencies): Promise<MailStop> {
  const stop = await readStopToken(ownStore(c, dependencies), c.req.query('token') ?? '');
  if (!stop) throw new PortalError('NOT_FOUND');
  return stop;
}
