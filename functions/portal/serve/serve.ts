import type { Hono } from 'hono';
import type { ContentfulStatusCode, StatusCode } from 'hono/utils/http-status';
import type * as v from 'valibot';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { readProject } from '../../accounts/projects/stored-projects.ts';
import { countRead } from '../../accounts/authority/rate.ts';
import { requireOwner } from '../../accounts/team/stored-members.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import type { FORMS } from '../contract/ids.ts';
import {
  Empty,
  isRead,
  partsOf,
  type AnswerOf,
  type ManageOperation,
  type PortalOperation,
} from '../contract/operation.ts';
import type { PortalDependencies } from '../request/dependencies.ts';
import type { PortalContext, PortalEnvironment } from '../request/hono-context.ts';
import { PortalError } from '../contract/errors.ts';
import { readIdempotencyKey, readInput, readQuery, type Schema } from '../request/input.ts';
import { pathId } from '../request/paths.ts';
import { storeOf, readPerson, type Person } from './authority.ts';

/** A request whose caller is known. */
export interface Known {
  readonly c: PortalContext;
  readonly dependencies: PortalDependencies;
  /** An id in the path; one of the wrong form is nobody's. */
  readonly id: (name: keyof typeof FORMS) => string;
  readonly nowMs: number;
}

/** A request that a handler answers, in whichever API. */
export interface Asked<Input = unknown> extends Known {
  /** The store of the caller, until the request's deadline. */
  readonly store: AccountStore;
  /** That of the path, or of the token. */
  readonly accountId: string;
  /** The query of a GET, the body of any other method. */
  readonly input: Input;
  readonly idempotencyKey: string | undefined;
}

/** The same of a person. */
export type OfPerson<Base> = Base & { readonly person: Person };

/** The input of an operation, as its schema reads it. */
export type InputOf<Op> = Op extends { readonly query: infer S extends v.GenericSchema }
  ? v.InferOutput<S>
  : Op extends { readonly body: infer S extends v.GenericSchema }
    ? v.InferOutput<S>
    : unknown;

/** An operation with the code that answers it. */
export interface Served {
  readonly operation: PortalOperation | ManageOperation;
  readonly handle: (c: PortalContext, dependencies: PortalDependencies) => Response | Promise<Response>;
}

/** Adds operations to an app. A route that is added in another way is unknown. */
export function addAll(
  app: Hono<PortalEnvironment>,
  served: readonly Served[],
  dependencies: PortalDependencies,
): void {
  for (const { operation, handle } of served) {
    const [method, path] = partsOf(operation);
    const handler = (c: PortalContext) => handle(c, dependencies);
    app.on(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), Object.assign(handler, { operation }));
  }
}

/**
 * Serves an operation of people. It reads in this order: the session, the input, the membership in the account of the
 * path, in one round trip; then it counts a read. Nothing of the account is read for anybody else. The role of a change
 * is a condition of its transaction.
 *
 * @param schemaOf of the input, where it depends on the request; absent: that of the contract
 */
export function serve<Op extends PortalOperation, const Answer extends AnswerOf<Op>, Input = InputOf<Op>>(
  operation: Op,
  handler: (asked: OfPerson<Asked<Input>>) => Answer | Promise<Answer>,
  schemaOf?: (known: OfPerson<Known>) => Schema<Input>,
): Served {
  const isOfAccount = operation.by !== 'person';
  return {
    operation,
    handle: async (c, dependencies) => {
      const base = knownOf(c, dependencies);
      const accountId = base.id('accountId');
      const { person, membership } = await readPerson(c, dependencies, isOfAccount ? accountId : undefined);
      const known = { ...base, person };
      const given = await readGiven<Input>(c, operation, schemaOf?.(known));
      if (isOfAccount && !membership) throw new PortalError('NOT_FOUND');
      const store = storeOf(c, dependencies, person.user, membership);
      if (isRead(operation) && !operation.isFree) await admitRead(store, known, operation);
      return answered(c, operation, await handler({ ...known, ...given, store, accountId }));
    },
  };
}

export const knownOf = (c: PortalContext, dependencies: PortalDependencies): Known => ({
  c,
  dependencies,
  id: (name) => pathId(c, name),
  nowMs: c.get('state').receivedAtMs,
});

/** The input and the Idempotency-Key of a request. */
export async function readGiven<Input>(
  c: PortalContext,
  { route, query, body }: PortalOperation | ManageOperation,
  schema: Schema<Input> | undefined,
): Promise<{ readonly input: Input; readonly idempotencyKey: string | undefined }> {
  if (!route.startsWith('GET ')) {
    const input = await readInput(c, schema ?? (body as Schema<Input> | undefined));
    return { input, idempotencyKey: readIdempotencyKey(c) };
  }
  const given = schema ?? (query as Schema<Input> | undefined);
  return { input: given ? readQuery(c, given) : (undefined as Input), idempotencyKey: undefined };
}

/**
 * Counts a read, and refuses it with 429 before anything else is read. In parallel it requires the role, and that the
 * project of the path is the account's.
 */
async function admitRead(store: AccountStore, { id }: Known, { by, route }: PortalOperation): Promise<void> {
  await allFulfilled([
    ...(by === 'owner' ? [requireOwner(store)] : []),
    countRead(store),
    ...(route.includes('{projectId}') ? [readProject(store, id('projectId'))] : []),
  ]);
}

/** A table, or a part of one, as a file with a name; `cursor` is that of the next part. */
export function tableOf(c: PortalContext, name: string, csv: string, cursor: string | null = null): string {
  c.header('Content-Disposition', `attachment; filename="${name}.csv"`);
  if (cursor !== null) c.header('X-Next-Cursor', cursor);
  return csv;
}

/** The response of a handler's answer: a table, JSON, or nothing. */
export function answered(c: PortalContext, { answers }: PortalOperation | ManageOperation, answer: unknown): Response {
  const [[status, body] = []] = Object.entries(answers);
  if (body === Empty) return c.body(null, Number(status) as StatusCode);
  if (typeof answer === 'string') {
    return c.body(answer, Number(status) as ContentfulStatusCode, { 'Content-Type': 'text/csv' });
  }
  return c.json(answer, Number(status) as ContentfulStatusCode);
}
