import * as v from 'valibot';
import { MAX_CLIENT_REQUEST_ID_CHARACTERS } from '../../../shared/rules/choices.ts';
import { isIdempotencyKey } from '../../../shared/rules/http/json-body.ts';
import { USAGE_EVENT_NAMES } from '../../../shared/rules/usage/usage-event-name.ts';
import { maxCharacters } from '../../../shared/rules/http/validation.ts';
import { KeyId } from './fields.ts';
import { type Continued, Limited, Span } from './lists.ts';

/** The gateway's own bound. Characters that the gateway refuses are in no event. */
const CLIENT_ID_RULE = 'Give a clientRequestId of 1 to 128 characters.';

/** The filter: kind, key, code and the client's own id. */
const Wanted = v.object({
  event: v.optional(v.picklist(USAGE_EVENT_NAMES, `Give one of ${USAGE_EVENT_NAMES.join(', ')}.`)),
  keyId: v.optional(KeyId),
  code: v.optional(v.pipe(v.string(), v.regex(/^[A-Z_]{1,64}$/, 'Give a code of the gateway.'))),
  clientRequestId: v.optional(
    v.pipe(v.string(), v.nonEmpty(CLIENT_ID_RULE), maxCharacters(MAX_CLIENT_REQUEST_ID_CHARACTERS, CLIENT_ID_RULE)),
  ),
});

/** The query of the list. */
export const eventQuery = (cursor: Continued) => v.intersect([Span, Limited, cursor, Wanted]);
/** The query of the table. */
export const eventCsvQuery = (cursor: Continued) => v.intersect([Span, cursor, Wanted]);

const KEY_RULE = 'Give an Idempotency-Key: 1 to 255 visible ASCII characters.';
/** A question about a request; `operation`: those of the gateway. Default: all of them. */
export const chargeLookup = (operation: v.GenericSchema<string>) =>
  v.object({
    idempotencyKey: v.pipe(v.string(KEY_RULE), v.check(isIdempotencyKey, KEY_RULE)),
    operation: v.optional(operation),
  });
