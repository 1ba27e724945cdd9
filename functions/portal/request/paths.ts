import { FORMS } from '../contract/ids.ts';
import type { PortalContext } from './hono-context.ts';

/** An id that nobody has, of whatever kind. */
const NOBODYS = '0';

/**
 * An id in the path of a request. An id of the wrong form is replaced by one that nobody has. So it is refused in the
 * usual order.
 */
export function pathId(c: PortalContext, name: keyof typeof FORMS): string {
  const id = c.req.param(name) ?? '';
  return FORMS[name].test(id) ? id : NOBODYS;
}
