import { beforeAll, describe, expect, test } from '@jest/globals';
import { trustingProvider } from '../support/changes/provider.ts';
import { testPortal } from '../support/portal.ts';
import { largeWorld, measureRoutes, ONE_A_MINUTE, type RouteUnits } from '../support/read-units.ts';

/** More than 1 MB of events, the limit of one call of a query. */
const SIZES = { events: 3_600, endedKeys: 60, invitations: 60 };

/**
 * The maximum of read units of each route in this world: for a member, and for one who has reached the limit of the
 * minute. For a larger world see docs/cost-and-limits.md, "What a request of the portal may read". A route without a
 * line fails.
 */
const LINES: Readonly<Record<string, readonly [within: number, beyond?: number]>> = {
  'GET /api/session': [50],
  'GET /api/sessions': [3],
  'GET /api/invitations?limit=200': [129, 2],
  'GET /api/invitations/{accountId}': [5, 2],
  'DELETE /api/sessions/{sessionId}': [3, 3],
  'POST /api/accounts': [2, 2],
  'PATCH …': [4, 4],
  'POST /api/invitations/{accountId}/accept': [6, 6],
  'POST /api/invitations/{accountId}/decline': [4, 4],
  'GET …/mails': [4],
  'PATCH …/mails': [4, 4],
  'GET …/thresholds': [4],
  'PATCH …/thresholds': [4, 4],
  // With an item a member: the last mail to them.
  'GET …/members': [10],
  'POST …/members': [6, 6],
  'PATCH …/members/{memberId}': [5, 5],
  'DELETE …/members/{memberId}': [5, 5],
  'GET …/audit?limit=200': [20, 4],
  'GET …/audit?limit=200&action=key.rotate': [23, 4],
  'GET …/attention': [14, 3],
  'GET …/audit.csv': [169, 4],
  'GET …/endpoints': [5, 4],
  'POST …/endpoints': [3, 3],
  'PATCH …/endpoints/{endpointId}': [4, 4],
  'POST …/endpoints/{endpointId}/rotate': [4, 4],
  'POST …/endpoints/{endpointId}/test': [4, 4],
  'GET …/endpoints/{endpointId}/deliveries': [10, 5],
  'POST …/endpoints/{endpointId}/deliveries/{deliveryId}/repeat': [5, 5],
  'DELETE …/endpoints/{endpointId}': [4, 4],
  'GET …/tokens': [8, 4],
  'POST …/tokens': [4, 4],
  'POST …/tokens/{tokenId}/revoke': [6, 6],
  'GET …/projects': [20],
  'POST …/projects': [3, 3],
  'GET …/projects/{projectId}': [7],
  'PATCH …/projects/{projectId}': [8, 8],
  'GET …/projects/{projectId}/keys?state=active&limit=200': [7],
  'GET …/projects/{projectId}/keys?limit=200': [69, 3],
  'POST …/projects/{projectId}/keys': [4, 4],
  'PATCH …/projects/{projectId}/keys/{keyId}': [6, 6],
  'POST …/projects/{projectId}/keys/{keyId}/rotate': [7, 7],
  'GET …/projects/{projectId}/usage?by=day&since=2029-12-20T00:00:00Z': [322, 4],
  'GET …/projects/{projectId}/usage?by=day&since=2029-12-20T00:00:00Z (again)': [10, 4],
  'GET …/projects/{projectId}/ledger': [14, 4],
  'GET …/projects/{projectId}/statement.csv': [15, 4],
  'GET …/projects/{projectId}/events?limit=200': [23, 4],
  'GET …/projects/{projectId}/events?limit=200&event=quota_rejected': [91, 4],
  'GET …/projects/{projectId}/events.csv': [316, 4],
  'GET …/projects/{projectId}/events/{requestId}': [6, 4],
  'GET /api/requests/{requestId}': [21, 3],
  'POST …/projects/{projectId}/charges/lookup': [7, 4],
  'GET …/projects/{projectId}/keys/{keyId}': [14, 5],
  'DELETE /api/profile': [11, 8],
  'POST …/projects/{projectId}/keys/{keyId}/revoke': [6, 6],
  'DELETE …/projects/{projectId}': [4, 4],
  'DELETE …': [11, 11],
  'POST /api/sign-out': [2],
};
/** For a person outside the account. */
const MOST_OF_A_STRANGER = 3;
/** It also reads the invitation and whether it was accepted before. */
const ACCEPTS = 'POST /api/invitations/{accountId}/accept';
/** For a read that is refused by the limit. */
const MOST_OF_A_429 = 12;

let routes: readonly RouteUnits[];
beforeAll(async () => {
  const portal = testPortal(trustingProvider, { limits: ONE_A_MINUTE });
  routes = await measureRoutes(portal, await largeWorld(portal, SIZES));
}, 60_000);

/** The routes that do not meet a condition. */
const except = (isSo: (route: RouteUnits) => boolean) => routes.filter((route) => !isSo(route));

describe('a request of the portal makes the database read', () => {
  test('nothing, where its session was made up', () => {
    expect(except(({ madeUp, callsOfRefused: [calls] }) => madeUp === 0 && calls?.length === 0)).toEqual([]);
    expect(except(({ statuses: [status] }) => status === 401)).toEqual([]);
  });

  test('who asks and no more, where it is of somebody who is not in the account', () => {
    expect(except(({ route, stranger = 0 }) => stranger <= (route === ACCEPTS ? 5 : MOST_OF_A_STRANGER))).toEqual([]);
    expect(except(({ callsOfRefused: [, calls = []] }) => !calls.includes('Query'))).toEqual([]);
    expect(except(({ statuses: [, status] }) => status === undefined || status === 404)).toEqual([]);
  });

  test('nothing that is asked for, where it is a read beyond those of the minute', () => {
    const reads = routes.filter(({ route, beyond }) => route.startsWith('GET ') && beyond !== undefined);
    expect(reads).toHaveLength(20);
    expect(
      reads.filter(
        ({ beyond = 0, callsOfRefused: [, , calls = []] }) => beyond > MOST_OF_A_429 || calls.includes('Query'),
      ),
    ).toEqual([]);
    expect(except(({ statuses: [, , , status] }) => status === undefined || status === 429)).toEqual([]);
  });

  test('no more than its line', () => {
    const over = except((route) => {
      const [within = -1, beyond] = LINES[route.route] ?? [];
      return (
        route.within <= within &&
        (route.beyond === undefined) === (beyond === undefined) &&
        (route.beyond ?? 0) <= (beyond ?? 0)
      );
    });
    expect(over).toEqual([]);
    expect(routes).toHaveLength(Object.keys(LINES).length);
  });
});
