import type { Token, TokenScope } from './token-queries.ts';

/** What a token with a scope may do, in the order of the contract. */
export const SCOPE_WORDS: readonly (readonly [TokenScope, string])[] = [
  ['keys:read', 'List keys (keys:read)'],
  ['keys:write', 'Create, change and end keys (keys:write)'],
  ['usage:read', 'Read usage and requests (usage:read)'],
];

/** The tokens that still work. */
export const activeOf = (tokens: readonly Token[]): Token[] => tokens.filter(({ status }) => status === 'active');
