import * as v from 'valibot';
import { Event, eventQuery, FirstRequest, RefusedInMinute, RefusingChange } from './events.ts';
import { KeyId } from './fields.ts';
import { AccountId } from './ids.ts';
import { Key, KeyChanges, KeyCreated, keyQuery, Keys, NewKey, Rotation } from './keys.ts';
import { AnyCursor } from './lists.ts';
import type { ManageOperation } from './operation.ts';
import { Projects } from './projects.ts';
import { Token } from './tokens.ts';
import { Bucket, Figures, MANAGE_BY, ManageUsageQuery, OtherKeys } from './usage.ts';
import { Count, MaybeText, Moment, NextCursor } from './values.ts';

/** A management token, told to itself. */
export const OwnToken = v.strictObject({ accountId: AccountId, ...v.omit(Token, ['createdBy']).entries });

export const ManageUsage = v.strictObject({
  since: Moment,
  until: Moment,
  by: v.picklist(MANAGE_BY),
  complete: v.boolean(),
  /** No later answer has other figures. At most an hour after the end of a UTC day it is so. */
  closed: v.boolean(),
  remaining: Count,
  total: Figures,
  buckets: v.exactOptional(v.array(Bucket)),
  keys: v.exactOptional(v.array(v.strictObject({ keyId: KeyId, name: MaybeText, requests: Count, units: Count }))),
  others: v.exactOptional(OtherKeys),
});

export const Requests = v.strictObject({ requests: v.array(Event), cursor: NextCursor });

/** Who made the change, without a name. */
export const ManageRefusingChange = v.strictObject({
  ...RefusingChange.entries,
  by: v.picklist(['member', 'operator', 'token', 'report']),
});

/** A request, and why it was refused. */
export const RequestDetails = v.strictObject({
  ...Event.entries,
  cause: v.exactOptional(v.union([ManageRefusingChange, FirstRequest, RefusedInMinute])),
});

/**
 * The contract of the management API, for programs: every route by the id of its operation. The portal serves it as
 * `/manage.yaml`, in OpenAPI, and tests hold every answer to it.
 */
export const MANAGE_CONTRACT = {
  readToken: {
    route: 'GET /manage/v1/token',
    scope: null,
    answers: { 200: OwnToken },
  },
  listProjects: {
    route: 'GET /manage/v1/projects',
    scope: null,
    query: AnyCursor,
    answers: { 200: Projects },
  },
  listKeys: {
    route: 'GET /manage/v1/projects/{projectId}/keys',
    scope: 'keys:read',
    query: keyQuery(AnyCursor),
    answers: { 200: Keys },
  },
  createKey: {
    route: 'POST /manage/v1/projects/{projectId}/keys',
    scope: 'keys:write',
    isRepeatable: true,
    body: NewKey,
    answers: { 201: KeyCreated },
    refuses: ['LIMIT_REACHED', 'IDEMPOTENCY_CONFLICT', 'KEY_NOT_ACTIVE'],
  },
  readKey: {
    route: 'GET /manage/v1/projects/{projectId}/keys/{keyId}',
    scope: 'keys:read',
    answers: { 200: Key },
  },
  updateKey: {
    route: 'PATCH /manage/v1/projects/{projectId}/keys/{keyId}',
    scope: 'keys:write',
    body: KeyChanges,
    answers: { 200: Key },
    refuses: ['KEY_NOT_ACTIVE'],
  },
  rotateKey: {
    route: 'POST /manage/v1/projects/{projectId}/keys/{keyId}/rotate',
    scope: 'keys:write',
    isRepeatable: true,
    body: Rotation,
    answers: { 201: KeyCreated },
    refuses: ['LIMIT_REACHED', 'IDEMPOTENCY_CONFLICT', 'KEY_NOT_ACTIVE'],
  },
  revokeKey: {
    route: 'POST /manage/v1/projects/{projectId}/keys/{keyId}/revoke',
    scope: 'keys:write',
    answers: { 200: Key },
  },
  readUsage: {
    route: 'GET /manage/v1/projects/{projectId}/usage',
    scope: 'usage:read',
    query: ManageUsageQuery,
    answers: { 200: ManageUsage },
  },
  listRequests: {
    route: 'GET /manage/v1/projects/{projectId}/requests',
    scope: 'usage:read',
    query: eventQuery(AnyCursor),
    answers: { 200: Requests },
  },
  readRequest: {
    route: 'GET /manage/v1/requests/{requestId}',
    scope: 'usage:read',
    answers: { 200: RequestDetails },
  },
} as const satisfies Record<string, ManageOperation>;
