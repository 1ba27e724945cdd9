/** What people choose from in an account, and how far. The page's contract and the admin CLI check the same. */

/**
 * A person's role in an account, the one that may do the most first. A viewer reads what a member reads, and changes
 * nothing but leaves. The portal enforces it; the gateway knows only keys.
 */
export const MEMBER_ROLES = ['owner', 'member', 'viewer'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** Active keys, including those in their grace after a rotation; or keys that were revoked or have expired. */
export const KEY_STATES = ['active', 'ended'] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** What a token may do. */
export const TOKEN_SCOPES = ['keys:read', 'keys:write', 'usage:read'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** The most units of a cap, as of a project's quota. */
export const MAX_UNITS_LIMIT = 1_000_000_000;

/** The most thresholds of a kind. */
export const MAX_THRESHOLDS = 5;
/** The highest threshold of a quota. */
export const MAX_PERCENT = 100;
/** The earliest threshold of an expiry, in days. Markers of what was told are kept for longer than this. */
export const MAX_DAYS = 30;

/** The most keys of one report. */
export const MAX_REPORTED = 1_000;

/** Longest name that a client gives to a request. */
export const MAX_CLIENT_REQUEST_ID_CHARACTERS = 128;
