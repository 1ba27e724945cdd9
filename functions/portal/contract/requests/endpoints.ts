import * as v from 'valibot';
import { containsApiKey } from '../../../shared/rules/credentials/credential-text.ts';
import { ENDPOINT_URL_RULE, endpointUrl } from '../../../shared/rules/endpoint-url.ts';
import { NOTICE_TYPES, TEST_TYPE } from '../../../shared/rules/notice-type.ts';

const KINDS_RULE = `Give one or more of ${NOTICE_TYPES.join(', ')}, each once.`;
/** In the order of `NOTICE_TYPES`, whatever the order of the input. */
const Kinds = v.pipe(
  v.array(v.picklist(NOTICE_TYPES, KINDS_RULE), KINDS_RULE),
  v.minLength(1, KINDS_RULE),
  v.check((kinds) => new Set(kinds).size === kinds.length, KINDS_RULE),
  v.transform((kinds) => NOTICE_TYPES.filter((type) => kinds.includes(type))),
);
const urlOf = (isLocal: boolean) =>
  v.pipe(
    v.string(ENDPOINT_URL_RULE),
    v.check((text) => !containsApiKey(text), 'An address must not hold an API key.'),
    v.transform((text) => endpointUrl(text, isLocal)),
    v.string(ENDPOINT_URL_RULE),
  );
/** Whether an endpoint is on. */
export const ENDPOINT_STATES = ['active', 'disabled'] as const;

const TYPE_RULE = `Give ${TEST_TYPE} or one of ${NOTICE_TYPES.join(', ')}.`;
/** What a requested delivery is a sample of. */
export const sampleType = v.object({
  type: v.optional(v.picklist([TEST_TYPE, ...NOTICE_TYPES], TYPE_RULE), TEST_TYPE),
});

/** A new endpoint; `isLocal`: `http://localhost` is taken too. */
export const newEndpoint = (isLocal: boolean) => v.object({ url: urlOf(isLocal), kinds: Kinds });
/** The changes of an endpoint. */
export const endpointChanges = (isLocal: boolean) =>
  v.pipe(
    v.object({
      url: v.optional(urlOf(isLocal)),
      kinds: v.optional(Kinds),
      status: v.optional(v.picklist(ENDPOINT_STATES, 'Give active or disabled.')),
    }),
    v.check((given) => Object.values(given).some((value) => value !== undefined), 'Give url, kinds or status.'),
  );
