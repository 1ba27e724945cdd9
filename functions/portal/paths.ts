import { FORMS } from './contract/requests/forms.ts';
import type { PortalContext } from './hono-context.ts';

/** For each kind one id that nobody has. */
const NOBODYS = {
  accountId: `acc_${'0'.repeat(16)}`,
  projectId: '0'.repeat(12),
  keyId: `key_${'0'.repeat(16)}`,
  memberId: `mem_${'0'.repeat(16)}`,
  endpointId: `ept_${'0'.repeat(16)}`,
  deliveryId: `dlv_${'0'.repeat(16)}`,
  tokenId: `tok_${'0'.repeat(16)}`,
  sessionId: `ses_${'0'.repeat(16)}`,
  requestId: '00000000-0000-0000-0000-000000000000',
} as const satisfies Record<keyof typeof FORMS, string>;

/**
 * An id in the path of a request. An id of the wrong form is replaced by one that nobody has. So it is refused in the
 * usual order.
 */
export function pathId(c: PortalContext, name: keyof typeof FORMS): string {
  const id = c.req.param(name) ?? '';
  return FORMS[name].test(id) ? id : NOBODYS[name];
}
