import type { AccountStore } from '../../accounts/account-store.ts';
import { accountItemKey } from '../../accounts/account-items.ts';
import { notFound } from '../../accounts/refusals.ts';
import { readProject } from '../../accounts/projects/stored-projects.ts';
import { countRead } from '../../accounts/request-rate.ts';
import { endOfToken, MissingScopeError, TokenEndedError } from '../../accounts/tokens/token-check.ts';
import { countedAs, isUsedAnew, noteUsed, type StoredToken } from '../../accounts/tokens/tokens.ts';
import { authorizationFault, emptyFault, MANAGEMENT_TOKEN } from '../../shared/rules/credentials/authorization.ts';
import type { TokenScope } from '../../shared/rules/choices.ts';
import { allFulfilled } from '../../shared/rules/fulfilled.ts';
import { parseToken, type ParsedToken } from '../../shared/rules/credentials/management-token.ts';
import { itemKey } from '../../shared/store/items.ts';
import { readTogether } from '../../shared/store/tables.ts';
import type { PortalContext } from '../hono-context.ts';
import { readIdempotencyKey, readInput, readQuery, type Schema } from '../input.ts';
import { pathId } from '../paths.ts';
import type { AuthorityDependencies } from '../session/authority.ts';
import { CredentialsError } from './errors.ts';

/** Requests of each kind that a token may make in a minute. */
const PER_MINUTE = 60;

/** A request of a token, with the store of the token. */
interface AskedByToken {
  readonly store: AccountStore;
  readonly token: StoredToken;
}

/**
 * Reads the token of a request, in one round trip, and requires a scope of it. A forged token costs no I/O.
 * @param scope undefined: any token will do
 */
export async function readToken(
  c: PortalContext,
  { store, limits }: AuthorityDependencies,
  scope?: TokenScope,
): Promise<AskedByToken> {
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

/** Reads a token's change of the project in the path: the token first, then the input, then the project. */
export async function authorizeTokenChange<T>(
  c: PortalContext,
  dependencies: AuthorityDependencies,
  schema?: Schema<T>,
): Promise<AskedByToken & { readonly input: T; readonly projectId: string; readonly idempotencyKey?: string }> {
  const asked = await readToken(c, dependencies, 'keys:write');
  const input = await readInput(c, schema);
  const idempotencyKey = readIdempotencyKey(c);
  const projectId = projectOf(c, asked);
  return { ...asked, input, projectId, ...(idempotencyKey !== undefined && { idempotencyKey }) };
}

/** Reads a token's read of the project in the path. It is counted, and the project checked, in one round trip. */
export async function authorizeTokenRead<T = undefined>(
  c: PortalContext,
  dependencies: AuthorityDependencies,
  scope: TokenScope,
  schema?: Schema<T>,
): Promise<AskedByToken & { readonly query: T; readonly projectId: string }> {
  const asked = await readToken(c, dependencies, scope);
  const query = schema ? readQuery(c, schema) : (undefined as T);
  const projectId = projectOf(c, asked);
  await allFulfilled([countRead(asked.store), readProject(asked.store, projectId)]);
  return { ...asked, query, projectId };
}

/** The project in the path. Refuses one that is not the token's before anything of it is read. */
function projectOf(c: PortalContext, { token }: AskedByToken): string {
  const projectId = pathId(c, 'projectId');
  if (token.projectId !== undefined && token.projectId !== projectId)
    throw notFound('This project is not the token’s.');
  return projectId;
}
