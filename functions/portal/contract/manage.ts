import * as v from 'valibot';
import type { ManageErrorCode } from '../manage/errors.ts';
import { Event } from './events.ts';
import { AccountId } from './ids.ts';
import { Key, KeyCreated, Keys } from './keys.ts';
import { Projects } from './projects.ts';
import { eventQuery } from './requests/events.ts';
import { KeyId } from './requests/fields.ts';
import { KeyChanges, keyQuery, NewKey, Rotation } from './requests/keys.ts';
import { AnyCursor } from './requests/lists.ts';
import type { RouteName } from './requests/routes.ts';
import { MANAGE_BY, ManageUsageQuery } from './requests/usage.ts';
import { BODY_CODES, FAIL_CODES, type PortalOperation } from './route.ts';
import { Token } from './tokens.ts';
import { Bucket, Figures, OtherKeys } from './usage.ts';
import { Count, MaybeText, Moment, NextCursor } from './values.ts';

/** What a route for programs takes and answers, with the texts of its documentation. */
export interface ManageOperation extends PortalOperation<ManageErrorCode> {
  readonly route: RouteName;
  readonly tag: 'Token' | 'Projects' | 'Keys' | 'Usage';
  readonly summary: string;
  readonly description: string;
}

/** A management token, told to itself. */
export const OwnToken = v.strictObject({ accountId: AccountId, ...v.omit(Token, ['createdBy']).entries });

export const ManageUsage = v.strictObject({
  since: Moment,
  until: Moment,
  by: v.picklist(MANAGE_BY),
  complete: v.boolean(),
  remaining: Count,
  total: Figures,
  buckets: v.exactOptional(v.array(Bucket)),
  keys: v.exactOptional(v.array(v.strictObject({ keyId: KeyId, name: MaybeText, requests: Count, units: Count }))),
  others: v.exactOptional(OtherKeys),
});

export const Requests = v.strictObject({ requests: v.array(Event), cursor: NextCursor });

/** Any request of a token. */
const TOKEN_CODES: readonly ManageErrorCode[] = [
  'MISSING_TOKEN',
  'INVALID_TOKEN',
  'TOKEN_REVOKED',
  'TOKEN_EXPIRED',
  'RATE_LIMIT_EXCEEDED',
  ...FAIL_CODES,
];
/** A read that needs a scope, of one thing or of what belongs to one. */
const TOKEN_READ_CODES = [...TOKEN_CODES, 'INSUFFICIENT_SCOPE', 'NOT_FOUND'] as const;
/** A change. */
const TOKEN_CHANGE_CODES = [
  ...TOKEN_READ_CODES,
  ...BODY_CODES,
  'INVALID_IDEMPOTENCY_KEY',
  'CHANGED_MEANWHILE',
] as const;
/** A creation. */
const TOKEN_CREATION_CODES = [...TOKEN_CHANGE_CODES, 'LIMIT_REACHED', 'IDEMPOTENCY_CONFLICT'] as const;

/**
 * The contract of the management API, for programs: every route by the id of its operation. The portal serves it as
 * `/manage.yaml`, in OpenAPI, and tests hold every answer to it.
 */
export const MANAGE_CONTRACT = {
  readToken: {
    route: 'GET /manage/v1/token',
    tag: 'Token',
    summary: 'Read the token',
    description: 'Which token this is, what it may do, and until when. Any token may ask.',
    answers: { 200: OwnToken },
    refuses: TOKEN_CODES,
  },
  listProjects: {
    route: 'GET /manage/v1/projects',
    tag: 'Projects',
    summary: 'List projects',
    description: 'Those that the token may use, with their quota, in the order of their ids. Any token may ask.',
    query: AnyCursor,
    answers: { 200: Projects },
    refuses: [...TOKEN_CODES, 'INVALID_REQUEST'],
  },
  listKeys: {
    route: 'GET /manage/v1/projects/{projectId}/keys',
    tag: 'Keys',
    summary: 'List keys',
    description: 'Scope `keys:read`. Active keys first; ended ones for 90 days.',
    query: keyQuery(AnyCursor),
    answers: { 200: Keys },
    refuses: [...TOKEN_READ_CODES, 'INVALID_REQUEST'],
  },
  createKey: {
    route: 'POST /manage/v1/projects/{projectId}/keys',
    tag: 'Keys',
    summary: 'Create a key',
    description:
      'Scope `keys:write`. The only time that the key is shown: within ten minutes a repeat under the same Idempotency-Key gives the same key another secret, if nobody has used the first.',
    isRepeatable: true,
    body: NewKey,
    answers: { 201: KeyCreated },
    refuses: TOKEN_CREATION_CODES,
  },
  readKey: {
    route: 'GET /manage/v1/projects/{projectId}/keys/{keyId}',
    tag: 'Keys',
    summary: 'Read a key',
    description: 'Scope `keys:read`.',
    answers: { 200: Key },
    refuses: TOKEN_READ_CODES,
  },
  updateKey: {
    route: 'PATCH /manage/v1/projects/{projectId}/keys/{keyId}',
    tag: 'Keys',
    summary: 'Change a key',
    description: 'Scope `keys:write`. Its name, cap, pause and end, from the next request on.',
    body: KeyChanges,
    answers: { 200: Key },
    refuses: [...TOKEN_CHANGE_CODES, 'KEY_NOT_ACTIVE'],
  },
  rotateKey: {
    route: 'POST /manage/v1/projects/{projectId}/keys/{keyId}/rotate',
    tag: 'Keys',
    summary: 'Rotate a key',
    description:
      'Scope `keys:write`. A new key in its place, with its lifetime, or the time that the last change of `expiresAt` gave it; the old one works until the end of its grace.',
    isRepeatable: true,
    body: Rotation,
    answers: { 201: KeyCreated },
    refuses: [...TOKEN_CREATION_CODES, 'KEY_NOT_ACTIVE'],
  },
  revokeKey: {
    route: 'POST /manage/v1/projects/{projectId}/keys/{keyId}/revoke',
    tag: 'Keys',
    summary: 'Revoke a key',
    description: 'Scope `keys:write`. Its next request is refused. A second revocation changes nothing.',
    answers: { 200: Key },
    refuses: TOKEN_CHANGE_CODES,
  },
  readUsage: {
    route: 'GET /manage/v1/projects/{projectId}/usage',
    tag: 'Usage',
    summary: 'Read usage',
    description:
      'Scope `usage:read`. The last 24 hours by default; by day and by key at most 400 days, by hour at most 31, and never further back than usage is kept. By day or hour there are `buckets`, by key there are `keys` and `others`, of whole hours, or of whole days where the span is longer than 31 days. While `complete` is false, each request sums further.',
    query: ManageUsageQuery,
    answers: { 200: ManageUsage },
    refuses: [...TOKEN_READ_CODES, 'INVALID_REQUEST'],
  },
  listRequests: {
    route: 'GET /manage/v1/projects/{projectId}/requests',
    tag: 'Usage',
    summary: 'List requests',
    description:
      'Scope `usage:read`. The newest first: every request of a known key, and of refusals before admission the first of a key and code in a minute.',
    query: eventQuery(AnyCursor),
    answers: { 200: Requests },
    refuses: [...TOKEN_READ_CODES, 'INVALID_REQUEST'],
  },
  readRequest: {
    route: 'GET /manage/v1/requests/{requestId}',
    tag: 'Usage',
    summary: 'Read a request',
    description: 'Scope `usage:read`. By the id in its answer, in any project that the token may use.',
    answers: { 200: Event },
    refuses: TOKEN_READ_CODES,
  },
} as const satisfies Record<string, ManageOperation>;
