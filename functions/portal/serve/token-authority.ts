import type { AccountStore } from '../../accounts/store/account-store.ts';
import { accountItemKey } from '../../accounts/store/account-items.ts';
import { notFound } from '../../accounts/store/refusals.ts';
import { readProject } from '../../accounts/projects/stored-projects.ts';
import { countRead } from '../../accounts/authority/rate.ts';
import { endOfToken, MissingScopeError, TokenEndedError } from '../../accounts/authority/token-check.ts';
import { countedAs, isUsedAnew, noteUsed, type StoredToken } from '../../accounts/tokens/tokens.ts';
import { authorizationFault, emptyFault, MANAGEMENT_TOKEN } from '../../shared/credentials/api-key.ts';
import type { TokenScope } from '../../shared/choices.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { parseToken, type ParsedToken } from '../../shared/credentials/management-token.ts';
import { itemKey } from '../../shared/store/items.ts';
import { readTogether } from '../../shared/store/tables.ts';
import { isRead, type AnswerOf, type ManageOperation } from '../contract/operation.ts';
import type { PortalDependencies } from '../request/dependencies.ts';
import type { PortalContext } from '../request/hono-context.ts';
import type { Schema } from '../request/input.ts';
import { pathId } from '../request/paths.ts';
import { answered, knownOf, readGiven, type Asked, type InputOf, type Known, type Served } from './serve.ts';
import { CredentialsError } from '../contract/manage-errors.ts';

/** Requests of each kind that a token may make in a minute. */
const PER_MINUTE = 60;

/**
 * Reads the token of a request, in one round trip, and requires a scope of it. A forged token costs no I/O.
 *
 * @param scope null: any token will do
 * @returns the token, and its store
 */
async function readToken(
  c: PortalContext,
  { store, limits }: PortalDependencies,
  scope: TokenScope | null,
): Promise<{ readonly token: StoredToken; readonly store: AccountStore }> {
  const state = c.get('state');
  const { hash, accountId } = await credentialsOf(c, store);
  const within = { ...store, deadline: state.deadline };
  const [token, account] = (await readTogether(within, [accountItemKey.token(hash), itemKey.account(accountId)])) as [
    StoredToken?,
    { readonly status?: string }?,
  ];
  // A closed account has lost its tokens, as it has lost its members.
  const isOpen = account !== undefined && account.status === undefined;
  const end = isOpen ? endOfToken(token, state.receivedAtMs) : 'unknown';
  if (!token || end) throw new TokenEndedError(end ?? 'unknown');
  state.tokenId = token.tokenId;
  if (isUsedAnew(token, state.receivedAtMs)) state.runInBackground(noteUsed(within, hash, state.receivedAtMs));
  if (scope && !token.scopes.includes(scope)) throw new MissingScopeError(scope);
  const projectId = c.req.param('projectId') === undefined ? (token.projectId ?? '') : pathId(c, 'projectId');
  const caller = {
    userId: token.tokenId,
    identityHash: token.tokenId,
    countedAs: countedAs(token),
    limits: { ...limits, readsPerMinute: PER_MINUTE, changesPerMinute: PER_MINUTE },
    ...(scope && { token: { accountId, hash, name: token.name, scope, projectId } }),
    membership: { accountId, memberId: '' },
  };
  return { token, store: { ...within, actor: () => Promise.resolve(`token:${token.tokenId}`), caller } };
}

async function credentialsOf(c: PortalContext, store: AccountStore): Promise<ParsedToken> {
  const authorization = c.req.header('authorization')?.trim();
  if (!authorization) {
    throw new CredentialsError('MISSING_TOKEN', authorization === undefined ? undefined : emptyFault(MANAGEMENT_TOKEN));
  }
  const text = /^bearer +([^ ]+)$/i.exec(authorization)?.[1] ?? '';
  const token = parseToken(text, await store.keyTagSecrets());
  if (!token) throw new CredentialsError('INVALID_TOKEN', authorizationFault(authorization, MANAGEMENT_TOKEN));
  return token;
}

/** A request of a token. */
export type OfToken<Base> = Base & { readonly token: StoredToken };

/**
 * Serves an operation of programs. It reads in this order: the token and its scope, the input, and whether the project
 * of the path is the token's; then it counts a read and checks the project, in one round trip.
 *
 * @param schemaOf of the input, where it depends on the request; absent: that of the contract
 */
export function serveToken<Op extends ManageOperation, const Answer extends AnswerOf<Op>, Input = InputOf<Op>>(
  operation: Op,
  handler: (asked: OfToken<Asked<Input>>) => Answer | Promise<Answer>,
  schemaOf?: (known: OfToken<Known>) => Schema<Input>,
): Served {
  const isOfProject = operation.route.includes('{projectId}');
  return {
    operation,
    handle: async (c, dependencies) => {
      const { store, token } = await readToken(c, dependencies, operation.scope);
      const known = { ...knownOf(c, dependencies), token };
      const given = await readGiven<Input>(c, operation, schemaOf?.(known));
      const projectId = known.id('projectId');
      // Before anything of it is read.
      const isAnother = isOfProject && token.projectId !== undefined && token.projectId !== projectId;
      if (isAnother) throw notFound('This project is not the token’s.');
      if (isRead(operation)) {
        await allFulfilled([countRead(store), ...(isOfProject ? [readProject(store, projectId)] : [])]);
      }
      return answered(c, operation, await handler({ ...known, ...given, store, accountId: token.accountId }));
    },
  };
}
