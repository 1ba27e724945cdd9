import * as v from 'valibot';
import { meteredOperation, SANDBOX_ACCESS } from '../../functions/core/operation.ts';
import { OPERATIONS } from '../../functions/operations/index.ts';
import { routesOf } from '../../functions/routes.ts';
import { API_V1 } from '../../functions/wiring.ts';

/**
 * An operation that costs more than one unit, takes members of its own and counts tokens: no part of the gateway may
 * take the ping for granted. It answers as the ping does, so that the contract's responses are its own, too. Some of its
 * checks have no message, as those of a careless author.
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

/** What the gateway of the tests serves. */
export const TEST_OPERATIONS = [...OPERATIONS, triple];
/** The routes of that gateway. */
export const TEST_ROUTES = routesOf(TEST_OPERATIONS);
