import { expect, test } from '@jest/globals';
import { trustingProvider } from '../support/changes/provider.ts';
import { testPortal } from '../support/portal.ts';
import { largeWorld, measureRoutes } from '../support/read-units.ts';

/** More than 1 MB of events, the limit of one call of a query. */
const SIZES = { events: 3_600, endedKeys: 60, invitations: 60 };

/**
 * The maximum of read units of each route in this world, for a member. Refused requests: `enumeration` and `floods`. For
 * a larger world see docs/cost-and-limits.md, "What a request of the portal may read". A route without a
 * line fails.
 */
const LINES: Readonly<Record<string, number>> = {
  'GET /api/session': 48,
  'GET /api/sessions': 3,
  'GET /api/invitations?limit=200': 129,
  'GET /api/invitations/{accountId}': 5,
  'DELETE /api/sessions/{sessionId}': 3,
  'POST /api/accounts': 2,
  'PATCH …': 4,
  'POST /api/invitations/{accountId}/accept': 6,
  'POST /api/invitations/{accountId}/decline': 4,
  'GET …/mails': 4,
  'PATCH …/mails': 4,
  'GET …/thresholds': 4,
  'PATCH …/thresholds': 4,
  // With an item a member: the last mail to them.
  'GET …/members': 10,
  'POST …/members': 6,
  'PATCH …/members/{memberId}': 5,
  'DELETE …/members/{memberId}': 5,
  'GET …/audit?limit=200': 20,
  'GET …/audit?limit=200&action=key.rotate': 23,
  'GET …/attention': 14,
  'GET …/audit.csv': 169,
  'GET …/endpoints': 5,
  'POST …/endpoints': 3,
  'PATCH …/endpoints/{endpointId}': 4,
  'POST …/endpoints/{endpointId}/rotate': 4,
  'POST …/endpoints/{endpointId}/test': 4,
  'GET …/endpoints/{endpointId}/deliveries': 10,
  'POST …/endpoints/{endpointId}/deliveries/{deliveryId}/repeat': 5,
  'DELETE …/endpoints/{endpointId}': 4,
  'GET …/tokens': 8,
  'POST …/tokens': 4,
  'POST …/tokens/{tokenId}/revoke': 6,
  'GET …/projects': 20,
  'POST …/projects': 3,
  'GET …/projects/{projectId}': 7,
  'PATCH …/projects/{projectId}': 8,
  'GET …/projects/{projectId}/keys?state=active&limit=200': 7,
  'GET …/projects/{projectId}/keys?limit=200': 69,
  'POST …/projects/{projectId}/keys': 4,
  'PATCH …/projects/{projectId}/keys/{keyId}': 6,
  'POST …/projects/{projectId}/keys/{keyId}/rotate': 7,
  'GET …/projects/{projectId}/usage?by=day&since=2029-12-20T00:00:00Z': 322,
  'GET …/projects/{projectId}/usage?by=day&since=2029-12-20T00:00:00Z (again)': 10,
  'GET …/projects/{projectId}/ledger': 14,
  'GET …/projects/{projectId}/statement.csv': 15,
  'GET …/projects/{projectId}/events?limit=200': 23,
  'GET …/projects/{projectId}/events?limit=200&event=quota_rejected': 91,
  'GET …/projects/{projectId}/events.csv': 316,
  'GET …/projects/{projectId}/events/{requestId}': 6,
  'GET /api/requests/{requestId}': 17,
  'POST …/projects/{projectId}/charges/lookup': 7,
  'GET …/projects/{projectId}/keys/{keyId}': 14,
  'DELETE /api/profile': 9,
  'POST …/projects/{projectId}/keys/{keyId}/revoke': 6,
  'DELETE …/projects/{projectId}': 4,
  'DELETE …': 11,
  'POST /api/sign-out': 2,
};

test('a request of a member reads no more than its line', async () => {
  const portal = testPortal(trustingProvider);
  const routes = await measureRoutes(portal, await largeWorld(portal, SIZES));
  expect(routes.filter(({ route, units }) => !(units <= (LINES[route] ?? -1)))).toEqual([]);
  expect(routes).toHaveLength(Object.keys(LINES).length);
}, 60_000);
