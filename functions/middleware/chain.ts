import middy from '@middy/core';
import type { MiddyfiedHandler } from '@middy/core';
import { cors } from './cors.ts';
import { limitHeaders } from './limit-headers.ts';
import { problems } from './problems.ts';
import { requestContext, type RequestContextDependencies } from './request-context.ts';
import type { GatewayContext, HttpEvent, HttpResponse } from './request-state.ts';
import { router, type Served } from './router.ts';

export interface ChainDependencies extends RequestContextDependencies {
  /** Origins that may read responses across origins, compared byte for byte. */
  readonly allowedOrigins: readonly string[];
}

export type GatewayHandler = (event: HttpEvent, context: GatewayContext) => Promise<HttpResponse>;
export type Ring = MiddyfiedHandler<HttpEvent, HttpResponse, Error, GatewayContext>;

/** A Middy instance over a handler of this gateway. */
export const ring = (handler: GatewayHandler): Ring => middy<HttpEvent, HttpResponse, Error, GatewayContext>(handler);

/**
 * The two outer rings of both functions. They are Middy instances of their own because a `before` that answers early
 * (a preflight, a replay) skips every `after` of its own instance; here the ring around it still adds its headers.
 */
export function gatewayChain(inner: GatewayHandler, served: Served, dependencies: ChainDependencies): Ring {
  const rendered = ring(inner)
    .use(router(served))
    .use(cors(dependencies.allowedOrigins))
    .use(limitHeaders())
    .use(problems());
  return ring(rendered).use(requestContext(dependencies));
}
