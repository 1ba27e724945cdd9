import * as v from 'valibot';
import { TOKEN_SCOPES } from '../../shared/choices.ts';
import { integer, Name } from './fields.ts';
import { formed, FORMS, ProjectId, TokenId } from './ids.ts';
import { CREATION_CODES, type PortalOperation } from './operation.ts';
import { GivenName, MaybeText, Moment, upTo } from './values.ts';

const MAX_LIFETIME_DAYS = 90;
const SCOPES_RULE = `Give one or more of ${TOKEN_SCOPES.join(', ')}, each once.`;
const PROJECT_RULE = 'Give the id of a project, or nothing for all.';

/** A new token. The scopes are in the order of `TOKEN_SCOPES`, whatever the order of the input. */
export const NewToken = v.object({
  name: Name,
  scopes: v.pipe(
    v.array(v.picklist(TOKEN_SCOPES, SCOPES_RULE), SCOPES_RULE),
    v.minLength(1, SCOPES_RULE),
    v.check((scopes) => new Set(scopes).size === scopes.length, SCOPES_RULE),
    v.transform((scopes) => TOKEN_SCOPES.filter((scope) => scopes.includes(scope))),
  ),
  expiresInDays: integer(1, MAX_LIFETIME_DAYS),
  projectId: v.optional(v.pipe(v.string(PROJECT_RULE), v.regex(FORMS.projectId, PROJECT_RULE))),
});
export type NewToken = v.InferInput<typeof NewToken>;

const TokenScope = v.picklist(TOKEN_SCOPES);
export type TokenScope = v.InferOutput<typeof TokenScope>;

/** A management token; never the token itself. */
export const Token = v.strictObject({
  tokenId: TokenId,
  name: GivenName,
  scopes: v.array(TokenScope),
  /** Null: every project of the account. */
  projectId: v.nullable(ProjectId),
  lastFour: v.string(),
  status: v.picklist(['active', 'revoked', 'expired']),
  createdAt: Moment,
  /** The member id of who made it; null: the platform team. */
  createdBy: MaybeText,
  expiresAt: Moment,
  revokedAt: v.nullable(Moment),
  /** At most ten minutes late; null: never. */
  lastUsed: v.nullable(Moment),
});
export type Token = v.InferOutput<typeof Token>;

/** The token, this once. */
const TokenCreated = v.strictObject({
  tokenId: TokenId,
  token: formed(/^svc_mgmt_[0-9A-Za-z]{46}$/),
  expiresAt: Moment,
});
export type TokenCreated = v.InferOutput<typeof TokenCreated>;

/** The management tokens of an account, with which programs use `./manage.ts`. */
export const tokenContract = {
  /** All active ones, and some that ended in the last 90 days. */
  listTokens: {
    route: 'GET /api/accounts/{accountId}/tokens',
    by: 'owner',
    answers: { 200: v.strictObject({ tokens: upTo(100, Token) }) },
  },
  /** A repeat within ten minutes makes another secret of the same token, if nobody has used the first. */
  createToken: {
    route: 'POST /api/accounts/{accountId}/tokens',
    by: 'owner',
    isRepeatable: true,
    body: NewToken,
    answers: { 201: TokenCreated },
    refuses: CREATION_CODES,
  },
  /** No change of it lands any more. Done again, it changes nothing. */
  revokeToken: {
    route: 'POST /api/accounts/{accountId}/tokens/{tokenId}/revoke',
    by: 'owner',
    answers: { 200: Token },
  },
} as const satisfies Record<string, PortalOperation>;
