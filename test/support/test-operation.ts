import * as v from 'valibot';
import { meteredOperation, SANDBOX_ACCESS } from '../../functions/shared/request/operation.ts';
import { OPERATIONS, routesOf } from '../../functions/gateway/operations/index.ts';
import { API_V1 } from '../../functions/shared/names.ts';

const READY = { ok: true, mode: 'sandbox', message: 'Sandbox gateway is ready.' };

/**
 * An operation with more than one unit, its own members and tokens: no part of the gateway may assume the ping. It
 * answers like the ping, so that the contract's responses apply to it, too. Some of its checks have no message, as if
 * its author had forgotten them.
 */
export const triple = meteredOperation({
  name: 'test.triple',
  method: 'POST',
  path: `${API_V1}/sandbox/triple`,
  requires: SANDBOX_ACCESS,
  units: 3,
  body: {
    words: v.optional(v.pipe(v.number('words must be a number.'), v.maxValue(99, 'words must be at most 99.')), 4),
    language: v.optional(v.picklist(['en', 'de'])),
    parts: v.optional(v.array(v.object({ text: v.pipe(v.string(), v.startsWith('part')) }))),
    labels: v.optional(v.record(v.string(), v.string())),
  },
  execute: async ({ words }) => {
    await Promise.resolve();
    return { body: READY, tokens: { input: words, output: 2 * words } };
  },
});

/** An operation that tells its units when its work is done: as many as it is asked for, and as many tokens. */
export const upTo = meteredOperation({
  name: 'test.upTo',
  method: 'POST',
  path: `${API_V1}/sandbox/up-to`,
  requires: SANDBOX_ACCESS,
  units: { most: 5 },
  body: { cost: v.optional(v.number(), 2) },
  execute: ({ cost }) => ({ body: READY, units: cost, tokens: { input: cost, output: 0 } }),
});

/** The operations of the gateway in tests. */
export const TEST_OPERATIONS = [...OPERATIONS, triple, upTo];
/** The routes of that gateway. */
export const TEST_ROUTES = routesOf(TEST_OPERATIONS);
