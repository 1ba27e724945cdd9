/** The words of `manage.yaml`. */
import type { MANAGE_CONTRACT } from '../../functions/portal/contract/manage.ts';

/** What each operation is: its tag, its summary and its description. */
export const OPERATION_TEXTS: Readonly<
  Record<keyof typeof MANAGE_CONTRACT, { readonly tag: string; readonly summary: string; readonly description: string }>
> = {
  readToken: {
    tag: 'Token',
    summary: 'Read the token',
    description: 'Which token this is, what it may do, and until when. Any token may ask.',
  },
  listProjects: {
    tag: 'Projects',
    summary: 'List projects',
    description: 'Those that the token may use, with their quota, in the order of their ids. Any token may ask.',
  },
  listKeys: {
    tag: 'Keys',
    summary: 'List keys',
    description: 'Scope `keys:read`. Active keys first; ended ones for 90 days.',
  },
  createKey: {
    tag: 'Keys',
    summary: 'Create a key',
    description:
      'Scope `keys:write`. The only time that the key is shown: within ten minutes a repeat under the same Idempotency-Key shows it again, if nobody has used it.',
  },
  readKey: {
    tag: 'Keys',
    summary: 'Read a key',
    description: 'Scope `keys:read`.',
  },
  updateKey: {
    tag: 'Keys',
    summary: 'Change a key',
    description: 'Scope `keys:write`. Its name, cap, pause and end, from the next request on.',
  },
  rotateKey: {
    tag: 'Keys',
    summary: 'Rotate a key',
    description:
      'Scope `keys:write`. A new key in its place, with its lifetime, or the time that the last change of `expiresAt` gave it; the old one works until the end of its grace.',
  },
  revokeKey: {
    tag: 'Keys',
    summary: 'Revoke a key',
    description: 'Scope `keys:write`. Its next request is refused. A second revocation changes nothing.',
  },
  readUsage: {
    tag: 'Usage',
    summary: 'Read usage',
    description:
      'Scope `usage:read`. The last 24 hours by default; by day and by key at most 400 days, by hour at most 31, and never further back than usage is kept. By day or hour there are `buckets`, by key there are `keys` and `others`, of whole hours, or of whole days where the span is longer than 31 days. While `complete` is false, each request sums further. Once `closed` is true, no figure of this span changes any more: of a UTC day at most an hour after its end.',
  },
  listRequests: {
    tag: 'Usage',
    summary: 'List requests',
    description:
      'Scope `usage:read`. The newest first: every request of a known key, and of refusals before admission the first of a key and code in a minute.',
  },
  readRequest: {
    tag: 'Usage',
    summary: 'Read a request',
    description: 'Scope `usage:read`. By the id in its answer, in any project that the token may use.',
  },
};

/** What a member means, by its name, or by that of its schema and its own where that differs. */
export const MEANINGS: Readonly<Record<string, string>> = {
  name: 'Any characters but control characters: show it as text.',
  'Key.name': 'Any characters but control characters: show it as text. Null: it has none.',
  'NewKey.name': '1 to 100 characters after trimming, some that can be seen, no control characters.',
  'KeyChanges.name': '1 to 100 characters after trimming, some that can be seen, no control characters.',
  cursor: 'For the next page; null: there is none.',
  lastFour: 'Its last four characters.',
  lastUsed: 'Exact to the minute, of a token to ten minutes; null: not used yet.',
  'Key.expiresAt': 'Null: it never expires.',
  'KeyChanges.expiresAt': 'A time to come, at most 365 days from now; null: it never expires.',
  revokedAt: 'Null: it was not.',
  'Token.projectId': 'Null: every project of the account.',
  'Project.status': 'The requests of a suspended one are refused; the platform team can tell why.',
  quotaLimit: 'Units a period; null: no limit.',
  period: 'The month or day, in UTC, that the units count in.',
  lastRequest: 'Of its newest event; null: there is none.',
  paused: 'Whether its requests are refused until it is resumed.',
  rpm: 'Requests a minute.',
  unitsLimit:
    "Units that the key may spend in each `unitsPeriod`, within the quota of its project; null: as many as the project. Both keys of a rotation's grace spend from one limit, and so do keys that share one (`capOf`): it is that of all of them.",
  'KeyChanges.unitsLimit':
    'Null: no limit of its own. Of keys that share a limit it changes for all of them at once: 0 stops them all, and null is refused.',
  unitsPeriod:
    'How often the spent units begin again at 0, in UTC: each day, each ISO 8601 week (from Monday), each month, or never (`once`). Null: no limit.',
  'NewKey.unitsPeriod': 'Only with a limit. Absent: the period of the quota.',
  'KeyChanges.unitsPeriod':
    'Only with a limit, or for a key that has one. Absent: unchanged. A shared limit stays `once`.',
  unitsUsed: 'Units of that limit that are spent in its present period; null: no limit.',
  capOf:
    'The key that first had the limit which this key shares. It may have ended: its id is only a name. Null: no other key shares the limit, or it is this key.',
  'NewKey.capOf':
    'A key of the project whose limit counts once: the new key spends from that limit, too. Without `unitsLimit` and `unitsPeriod`. It has not ended, and is not replaced (409 `KEY_NOT_ACTIVE`). At most 20 keys share a limit, ended ones counted and successors not, with at most 180 requests a minute each.',
  replacedBy: 'Its successor; null: not rotated.',
  expiresInDays: 'Absent, as expiresInHours: it does not expire.',
  expiresInHours: 'In place of expiresInDays, never beside it: for a key of one session.',
  graceHours: 'How long the old key works; 0: it is refused from its next request on.',
  ends: 'The key that the old one replaced, where that is still in its grace: it ends at once. Somebody may still use it.',
  'Problem.ends': 'With `LIMIT_REACHED` of a rotation: the key in its grace that the request must name to end it.',
  complete: 'Whether all of it is summed; ask again until it is.',
  closed:
    'Whether no figure changes any more: all is summed and stored, and no event of this span can be written. Names are those of today.',
  remaining: 'Buckets that are not summed yet.',
  buckets:
    'By day or hour, oldest first. Those without requests are left out, as are, while `complete` is false, those that are not summed yet.',
  keys: 'By key: the 500 with the most units, these first. Without a name: it has none, or was deleted.',
  others:
    'By key: the keys that are not listed. With `keys` they come to the total. Not all are told apart where very many were used in an hour: then `others.keys` is the least that there are.',
  'OtherKeys.keys': 'How many they are.',
  'Keys.keys': 'The one with the latest end first.',
  requests: 'Events: one a request, but of refusals that no rate limit holds one a minute, key and code.',
  'Requests.requests': 'The newest first.',
  units: 'Charged to the quota.',
  outcomes:
    'How many there are of each kind; kinds without any are left out. `simulated` are those that asked for their answer: they are in no other kind.',
  p50LatencyMs: 'From receipt to decision, exact to 1 ms below 100 ms and to 2 % above; null: there are no requests.',
  p95LatencyMs: 'As `p50LatencyMs`.',
  chargedOnly:
    'Whether events of 0 units may be missing: they are kept for 30 days, and some of this was summed when it was more than 29 days old.',
  operation: 'Such as `sandbox.ping`.',
  'Request.status': 'Of the response.',
  'Request.projectId': 'Of this account.',
  code: 'Of the refusal, as in the gateway’s contract; null: there was none.',
  latencyMs: 'From receipt to decision; the time to settle comes on top.',
  inputTokens: 'Null: no model is connected, as for the other two.',
  clientRequestId: 'The client’s own name for the request.',
  originalRequestId: 'Of a replay and a conflict: the request of the same project whose response is stored.',
  detail: 'Of a refusal, why, as its answer said; for people, and may change.',
  simulated: 'The request asked for its answer with `simulate`; absent from every other one.',
  userAgent: 'What the caller’s program calls itself, in printable ASCII; null: nothing.',
  sourceAddress: 'The caller’s network address, or its network only, where the stage keeps it.',
  idempotencyTag:
    'A keyed hash of its Idempotency-Key: two requests of a project with the same one had the same Idempotency-Key. Where the first three characters differ, the secret of the hash was changed in between, and nothing is known. Null: none was sent. Absent from older requests.',
  'RequestDetails.status': 'Of the response.',
  'RequestDetails.projectId': 'Of this account.',
  cause:
    'Why it was refused, beside its `code`: for a key or a project the change that refuses it, for `IDEMPOTENCY_CONFLICT` the first request under the Idempotency-Key while its answer is stored, for `RATE_LIMIT_EXCEEDED` how many requests of the key it refused in that minute. Absent: nothing more is known.',
  'RefusingChange.action': 'As in the audit.',
  'RefusingChange.by':
    'Who made it: a member, the platform team (`operator`), a management token, or a report of a leaked key.',
  'FirstRequest.at': 'When it was received.',
  'RefusingChange.at': 'When it was made.',
  'RefusedInMinute.count': 'Events of `RATE_LIMIT_EXCEEDED` of the key.',
  minute: 'The UTC minute.',
  atLeast: 'There may be more; absent: there are not.',
  'Problem.code': 'Stable: go by it.',
  'Problem.detail': 'For a person to read; it may change. Never holds input.',
  accountId: 'Of the account that the token belongs to.',
  tokenId: 'It identifies the token without being one.',
  projectId: 'Of a project of this account.',
  keyId: 'It identifies the key without being one.',
  requestId: 'Of the request, as in `X-Service-Request-Id`.',
  projects: 'In the order of their ids.',
  scopes: 'What it may be used for.',
  mode: 'The sandbox takes test keys only.',
  'Token.status': 'Whether it works.',
  'Key.status': 'Whether it works; a paused key is active.',
  createdAt: 'When it was made.',
  expiresAt: 'From this time on it does not work.',
  quotaUsed: 'Units of this period that are used.',
  activeKeys: 'How many of its keys work.',
  since: 'The beginning of the span.',
  until: 'The end of the span, which is not in it.',
  by: 'What usage is told by.',
  total: 'Of the whole span.',
  start: 'When it begins.',
  event: 'What became of the request.',
  outputTokens: 'As `inputTokens`.',
  totalTokens: 'As `inputTokens`.',
  occurredAt: 'When it was received.',
  'Problem.type': 'A name of the code, and no address.',
  'Problem.title': 'What the code means.',
  'Problem.status': 'Of the response.',
  ok: 'It failed.',
  field:
    'With `INVALID_REQUEST`: the member of the body, the query parameter or the header that is wrong. Absent: the body as a whole.',
};
/** What a parameter means, by its name, or by its place and name where that differs. */
export const PARAMETER_MEANINGS: Readonly<Record<string, string>> = {
  projectId: 'Of a project of this account.',
  'path keyId': 'Of a key of this project. It identifies the key without being one.',
  keyId: 'Only requests with this key.',
  requestId: 'Of a request to the gateway, as in `X-Service-Request-Id`.',
  state:
    '`active`: keys that work, including those in their grace after a rotation; `ended`: those that were revoked or have expired. Without it both.',
  limit: 'At most so many.',
  cursor: 'The `cursor` of the page before, with the same filters.',
  since:
    'From this time on. Of requests, absent: as far back as they are kept; of usage: 24 hours before `until`, and 400 where usage of that time is not kept any more.',
  until: 'Before this time; now, if absent or later than that.',
  by: 'What usage is told by.',
  event: 'Only this kind of event.',
  code: 'Only requests refused with this code of the gateway.',
  clientRequestId: 'Only requests that the client gave this name.',
  'Idempotency-Key':
    'Makes a creation safe to repeat: ids derive from token and key, so that a repeat answers with the same id. The same key with another body is 409 `IDEMPOTENCY_CONFLICT`, and nothing is made; on another path it is another key.',
};

export const DESCRIPTION = `For programs of a team: CI, Terraform, vaults. An owner makes a management token in the portal, under
Developers, *Tokens*.

**Authentication**: \`Authorization: Bearer svc_mgmt_…\` alone. A session of the portal does not count here; a token does
not count at the page's API nor at the gateway, nor an API key here. There are no CORS headers: a token never belongs in
a page.

**Limits**: 60 reads and 60 changes a minute a token, and 300 of each for all tokens of an account together, exact under
concurrency. A new token inherits the minute of the one whose place it takes. A change that is refused for the state of
things counts; one that is refused for its token, its input or its ids does not.

**A creation** may carry an \`Idempotency-Key\`, so that it can be repeated when its answer was lost.

**Errors** are RFC 9457 problems with a stable \`code\`; go by it. Of several reasons to refuse a request the first in
rank is named: a path or method that there is not (404, 405), the token (401), its scope (403), 413, 415, 400, what is of
others (404), 429, 409.

**Times** are ISO 8601 in UTC with milliseconds. Clients ignore response members and headers that they do not know.
`;
