import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { declares } from '../../functions/portal/declares.ts';
import { readInput } from '../../functions/portal/input.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { testPortal, type PortalAnswer } from '../support/portal.ts';

const Body = v.object({ name: v.string(), quota: v.optional(v.number()) });

/** Adds a route to the portal that returns the body it has read. */
function answerOf(path: string): Promise<PortalAnswer> {
  const { app, sendEvent } = testPortal(trustingProvider);
  app.post('/api/declared', declares({ writes: [], sets: { name: 'member' } }), async (c) =>
    c.json(await readInput(c, Body)),
  );
  app.post('/api/undeclared', async (c) => c.json(await readInput(c, Body)));
  return sendEvent({
    rawPath: path,
    requestContext: { http: { method: 'POST' } },
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
    body: '{"name":"New","quota":7}',
  });
}

test('a member of a body that its route does not declare is not read', async () => {
  expect((await answerOf('/api/declared')).body).toEqual({ name: 'New' });
});

test('a route without a declaration is not known', async () => {
  expect((await answerOf('/api/undeclared')).status).toBe(404);
});
