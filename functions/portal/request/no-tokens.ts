import type { MiddlewareHandler } from 'hono';
import type { PortalEnvironment } from './hono-context.ts';
import { PortalError } from '../contract/errors.ts';
import { sessionOf } from './session-cookie.ts';

/** Refuses a program that brings a token or a key to the page's API, before anything else could confuse it. */
export function noTokens(gatewayUrl: string): MiddlewareHandler<PortalEnvironment> {
  const detail = `This API is for the portal’s page, and takes no Authorization header. A management token belongs to /manage/v1 at this address, an API key to the gateway at ${gatewayUrl}.`;
  return async (c, next) => {
    const { operation } = c.get('state');
    const isOpen = operation && 'by' in operation && operation.by === 'anyone';
    const isRefused = c.req.header('authorization') && !sessionOf(c) && !isOpen;
    if (isRefused) throw new PortalError('NOT_SIGNED_IN', { detail });
    await next();
  };
}
