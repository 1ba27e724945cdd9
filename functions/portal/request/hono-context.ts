import type { Context } from 'hono';
import type { Deadline } from '../../shared/deadline.ts';
import type { ManageOperation, PortalOperation } from '../contract/operation.ts';
import type { PortalErrorCode } from '../contract/errors.ts';
import type { ManageErrorCode } from '../contract/manage-errors.ts';

/** The state of one request; each part of the chain fills in its own part. */
export interface RequestState {
  readonly requestId: string;
  readonly receivedAtMs: number;
  /** Aborts every database call of the request. */
  readonly deadline: Deadline;
  /**
   * Runs work in parallel to the request, and waits for it before the answer. A failure is logged, and the request does
   * not fail.
   */
  readonly runInBackground: (work: Promise<unknown>) => void;
  /** What is asked for; undefined until it is known, and where nothing is. */
  operation?: PortalOperation | ManageOperation;
  /** For the log line. */
  userId: string | null;
  tokenId: string | null;
  code: PortalErrorCode | ManageErrorCode | null;
  failure?: unknown;
}

/** The variables in Hono's context. */
export interface PortalEnvironment {
  Bindings: { readonly event: { readonly rawPath: string; readonly requestContext: { readonly requestId: string } } };
  Variables: { state: RequestState };
}

export type PortalContext = Context<PortalEnvironment>;
