import type { PortalAnswer, TestPortal } from '../portal.ts';
import type { Caller } from './who-may.ts';

/** Asks as the portal's own page does, in somebody's name. */
export const ask = (
  portal: TestPortal,
  { cookies }: Pick<Caller, 'cookies'>,
  { method, path, body = {} }: { readonly method: string; readonly path: string; readonly body?: object },
): Promise<PortalAnswer> =>
  portal.send({
    method,
    path,
    cookies,
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
    ...(method !== 'GET' && { body }),
  });
