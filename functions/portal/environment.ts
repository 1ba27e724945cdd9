import type { Context } from 'hono';
import type { Deadline } from '../core/deadline.ts';
import type { PortalErrorCode } from './errors.ts';

/** What is known of one request; each part of the chain fills in its own. */
export interface RequestState {
  readonly requestId: string;
  readonly receivedAtMs: number;
  /** Aborts every database call of the request. */
  readonly deadline: Deadline;
  /** Has something go on beside the request, and end before its answer; its failure is logged, and fails nothing. */
  readonly beside: (work: Promise<unknown>) => void;
  /** For the log line. */
  route: string | null;
  userId: string | null;
  code: PortalErrorCode | null;
  /** Members that the route reads of a body. */
  members: readonly string[];
  failure?: unknown;
}

/** What the portal's handlers find in Hono's context. */
export interface PortalEnvironment {
  Bindings: { readonly event: { readonly requestContext: { readonly requestId: string } } };
  Variables: { state: RequestState };
}

export type PortalContext = Context<PortalEnvironment>;
