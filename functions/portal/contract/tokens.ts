import * as v from 'valibot';
import { TOKEN_SCOPES } from '../../shared/rules/choices.ts';
import { formed, ProjectId, TokenId } from './ids.ts';
import { NewToken } from './requests/tokens.ts';
import { CREATION_CODES, OWNERS_CHANGE_CODES, OWNERS_READ_CODES, type PortalOperation } from './route.ts';
import { GivenName, MaybeText, Moment, upTo } from './values.ts';

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
  listTokens: { answers: { 200: v.strictObject({ tokens: upTo(100, Token) }) }, refuses: OWNERS_READ_CODES },
  /** A repeat within ten minutes makes another secret of the same token, if nobody has used the first. */
  createToken: {
    isRepeatable: true,
    body: NewToken,
    answers: { 201: TokenCreated },
    refuses: [...OWNERS_CHANGE_CODES, ...CREATION_CODES],
  },
  /** No change of it lands any more. Done again, it changes nothing. */
  revokeToken: { answers: { 200: Token }, refuses: OWNERS_CHANGE_CODES },
} as const satisfies Record<string, PortalOperation>;
