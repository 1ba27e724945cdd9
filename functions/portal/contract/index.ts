import { accountContract } from './accounts.ts';
import { attentionContract } from './attention.ts';
import { auditContract } from './audit.ts';
import { endpointContract } from './endpoints.ts';
import { eventContract } from './events.ts';
import { invitationContract } from './invitations.ts';
import { keyContract } from './keys.ts';
import { leakedKeyContract } from './leaked-keys.ts';
import { mailContract } from './mails.ts';
import { memberContract } from './members.ts';
import { projectContract } from './projects.ts';
import { sessionContract } from './session.ts';
import { tokenContract } from './tokens.ts';
import { usageContract } from './usage.ts';

/**
 * The contract between the portal's page and its function: every route by the id of its operation. Only types of it are
 * in the page.
 *
 * **A change** (anything but GET) comes from the portal's own page: `Sec-Fetch-Site: same-origin`, or from a client
 * that does not send this header an `Origin` equal to the portal's. It has `Content-Type: application/json`, also
 * without a body. A body is at most 16 KiB; members that are not listed are ignored. **A read** is refused when the
 * browser says that a page of another origin asks. There are no CORS headers at all.
 *
 * **Of several reasons to refuse** the first in rank is named: a path or method that there is not (404, 405), the
 * origin (403), the session (401), 413, 415, 400, what the caller may not know of (404), what the caller's role may not
 * do (403), 429, 409. What belongs to others is answered as what does not exist; so is an id of the wrong form.
 */
export const CONTRACT = {
  ...sessionContract,
  ...accountContract,
  ...invitationContract,
  ...memberContract,
  ...mailContract,
  ...auditContract,
  ...endpointContract,
  ...tokenContract,
  ...attentionContract,
  ...projectContract,
  ...keyContract,
  ...leakedKeyContract,
  ...usageContract,
  ...eventContract,
} as const;
