import * as v from 'valibot';
import { meteredOperation, SANDBOX_ACCESS } from '../../functions/shared/request/operation.ts';
import { OPERATIONS, routesOf } from '../../functions/gateway/operations/index.ts';
import { API_V1 } from '../../functions/shared/names.ts';

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
    const body = { ok: true, mode: 'sandbox', message: 'Sandbox gateway is ready.' };
    return { body, tokens: { input: words, output: 2 * words } };
  },
});

/** The operations of the gateway in tests. */
export const TEST_OPERATIONS = [...OPERATIONS, triple];
/** The routes of that gateway. */
export const TEST_ROUTES = routesOf(TEST_OPERATIONS);
