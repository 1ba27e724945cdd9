import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Deadline } from '../../shared/deadline.ts';
import { GatewayError, type ErrorCode } from '../../shared/http/errors.ts';
import type { MeteredRequest } from '../../shared/request/metered-request.ts';
import type { ProjectSnapshot, ReplayRecord } from '../../shared/request/request-store.ts';
import type { Period } from '../../shared/time.ts';
import type { RateStatus } from '../../shared/request/admission.ts';
import type { TokenCounts } from '../../shared/request/usage-event.ts';
import type { UsageEventName } from '../../shared/names.ts';

/** The state of one request. Each middleware names in its type which parts it reads and which it fills in. */
export interface RequestState {
  readonly requestId: string;
  readonly receivedAtMs: number;
  /** Who sent it, as they say and as API Gateway saw them. */
  readonly sender: { readonly userAgent?: string | undefined; readonly address?: string | undefined };
  /** Aborts every database call of the request. */
  readonly deadline: Deadline;
  /** By `input`: the valid request, or its later refusal. */
  input?: MeteredRequest | GatewayError;
  /** By `auth`, once the key is known to exist: the caller. */
  caller?: Caller;
  /**
   * By `auth`, once the key is authenticated, also when the rate limit then refuses the request. From here on responses
   * have limit headers.
   */
  admitted?: Admitted | undefined;
  /** By `execution`. */
  executed?: Executed;
  /** By `metering`: the replay record that a concurrent duplicate under the same Idempotency-Key committed first. */
  duplicate?: ReplayRecord;
  /**
   * By `auth`: the tag of the Idempotency-Key; null: none was sent. By `idempotency`: that of the stored response, which
   * may have been made under an older secret.
   */
  idempotencyTag?: string | null;
  /** By `idempotency`: the request whose stored response the Idempotency-Key belongs to. */
  originalRequestId?: string | undefined;
  /** By `simulation`: the limits before the charge of an `ANSWER_LOST` request. */
  beforeCharge?: Admitted;
  /** By `simulation`: the request asked for its answer, so the answer is no failure. */
  simulated?: true;
  /** For the log line: the decision, the charge, and the cause of a 5xx. */
  code: ErrorCode | null;
  event: UsageEventName | null;
  units: number;
  /** By `metering`: what was executed and not charged, because a limit was reached meanwhile. */
  uncharged?: Executed;
  failure?: unknown;
}

/** What an execution cost, and the tokens of the operation's model, if it has one. */
export interface Executed {
  readonly units: number;
  readonly tokens: TokenCounts | undefined;
}

/** The caller of a request. */
export interface Caller {
  readonly projectId: string;
  readonly keyId: string;
}

/** An authenticated request: its limits, and the state of its project. */
export interface Admitted {
  readonly caller: Caller;
  readonly rate: RateStatus;
  readonly period: Period;
  readonly snapshot: ProjectSnapshot;
  /** Units used, as far as this request knows; once settled, including its own charge. */
  quotaUsed: number;
  /** The same of the key's cap; 0 without one. */
  capUsed: number;
}

/** What API Gateway sends: payload format 2.0. */
export type HttpEvent = APIGatewayProxyEventV2;
/** What API Gateway takes. */
export type HttpResponse = APIGatewayProxyStructuredResultV2;

/**
 * The Lambda context with the request's state. The chain consists of three Middy instances, each with an `internal` of
 * its own. The context is the one object that all of them receive.
 */
export interface GatewayContext extends Context {
  state: RequestState;
}

type Part = keyof RequestState;

/** A middleware of this gateway, which reads some parts of the request's state and fills in others. */
export type GatewayMiddleware<Reads extends Part = never, Fills extends Part = never> = MiddlewareObj<
  HttpEvent,
  HttpResponse,
  Error,
  Context & { readonly state: Readonly<Pick<RequestState, Reads>> & Pick<RequestState, Fills> }
>;

/**
 * The valid input of a request. Throws the refusal of an invalid one. It is asked after authentication, because a
 * request without a valid key must not learn what is wrong with its body. Throws when a middleware runs before `input`:
 * a defect.
 */
export function validInput({ input }: Pick<RequestState, 'input'>): MeteredRequest {
  if (input === undefined) throw new Error('a middleware ran before input');
  if (input instanceof GatewayError) throw input;
  return input;
}

/** The admission of a request that `auth` accepted. Throws when a middleware runs before `auth`: a defect. */
export function admittedRequest({ admitted }: Pick<RequestState, 'admitted'>): Admitted {
  if (admitted === undefined) throw new Error('a middleware ran before auth');
  return admitted;
}

/** A success response with a JSON body. */
export const jsonResponse = (status: number, body: object, headers: Record<string, string> = {}): HttpResponse => ({
  statusCode: status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
