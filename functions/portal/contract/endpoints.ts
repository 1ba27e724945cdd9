import * as v from 'valibot';
import { containsApiKey } from '../../shared/credentials/credential-text.ts';
import { ENDPOINT_URL_RULE, endpointUrl } from '../../shared/endpoint-url.ts';
import { NOTICE_TYPES, TEST_TYPE } from '../../shared/notice-type.ts';
import { DeliveryId, EndpointId, formed } from './ids.ts';
import { CREATION_CODES, Empty, type PortalOperation } from './operation.ts';
import { Count, Moment, upTo } from './values.ts';

const KINDS_RULE = `Give one or more of ${NOTICE_TYPES.join(', ')}, each once.`;
/** In the order of `NOTICE_TYPES`, whatever the order of the input. */
const Kinds = v.pipe(
  v.array(v.picklist(NOTICE_TYPES, KINDS_RULE), KINDS_RULE),
  v.minLength(1, KINDS_RULE),
  v.check((kinds) => new Set(kinds).size === kinds.length, KINDS_RULE),
  v.transform((kinds) => NOTICE_TYPES.filter((type) => kinds.includes(type))),
);
const urlOf = (isLocal: boolean) => {
  const rule = isLocal ? `${ENDPOINT_URL_RULE} Or http://localhost, with any port.` : ENDPOINT_URL_RULE;
  return v.pipe(
    v.string(rule),
    v.check((text) => !containsApiKey(text), 'An address must not hold an API key.'),
    v.transform((text) => endpointUrl(text, isLocal)),
    v.string(rule),
  );
};
/** Whether an endpoint is on. */
const ENDPOINT_STATES = ['active', 'disabled'] as const;

const TYPE_RULE = `Give ${TEST_TYPE} or one of ${NOTICE_TYPES.join(', ')}.`;
/** What a requested delivery is a sample of. */
const sampleType = v.object({
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

const NoticeKind = v.picklist(NOTICE_TYPES);
export type NoticeKind = v.InferOutput<typeof NoticeKind>;

const Endpoint = v.strictObject({
  endpointId: EndpointId,
  url: v.string(),
  kinds: v.pipe(
    v.array(NoticeKind),
    v.minLength(1),
    v.check((kinds) => new Set(kinds).size === kinds.length),
  ),
  status: v.picklist(ENDPOINT_STATES),
  /** Null: it is on. */
  disabledAt: v.nullable(Moment),
  /** `failures`: nothing had arrived for three days, or it answered 410. */
  disabledBy: v.nullable(v.picklist(['owner', 'operator', 'failures'])),
  /** The first failure since the last success. */
  failingSince: v.nullable(Moment),
  /** Until when deliveries are signed under the secret before, too; null: it was never rotated. */
  previousSecretUntil: v.nullable(Moment),
  createdAt: Moment,
});
export type Endpoint = v.InferOutput<typeof Endpoint>;

const Delivery = v.strictObject({
  deliveryId: DeliveryId,
  /** Its `webhook-id`. */
  noticeId: formed(/^ntc_[0-9A-Za-z]{16}$/),
  type: v.picklist([...NOTICE_TYPES, TEST_TYPE]),
  /** When it happened, or was asked for. */
  at: Moment,
  state: v.picklist(['waiting', 'delivered', 'failed']),
  attempts: Count,
  lastAttemptAt: v.nullable(Moment),
  /** Null: it is not tried again. */
  nextAttemptAt: v.nullable(Moment),
  /** Of the last answer; null: there was none. */
  status: v.nullable(Count),
  /** Of the last try. `address`: none, or not a public one; `withdrawn`: the endpoint was off; `dropped`: too many waited. */
  failure: v.nullable(v.picklist(['status', 'timeout', 'address', 'connection', 'withdrawn', 'dropped'])),
  /** A test or a repeat, which is tried once. */
  asked: v.boolean(),
  /** What was sent; null: it was not tried yet. */
  body: v.nullable(v.string()),
});
export type Delivery = v.InferOutput<typeof Delivery>;

/** The signing secret, this once. */
const SecretCreated = v.strictObject({ endpointId: EndpointId, secret: formed(/^whsec_[0-9A-Za-z+/]{43}=$/) });
const DeliveryAsked = v.strictObject({ deliveryId: DeliveryId });

const ENDPOINTS = '/api/accounts/{accountId}/endpoints';

/** The webhook endpoints of an account. What waits for one that is off or deleted is not sent. */
export const endpointContract = {
  listEndpoints: {
    route: `GET ${ENDPOINTS}`,
    by: 'owner',
    answers: { 200: v.strictObject({ endpoints: upTo(5, Endpoint) }) },
  },
  /** A repeat within ten minutes has the same answer; a later one is CHANGED_MEANWHILE. */
  createEndpoint: {
    route: `POST ${ENDPOINTS}`,
    by: 'owner',
    isRepeatable: true,
    body: newEndpoint(false),
    answers: { 201: SecretCreated },
    refuses: CREATION_CODES,
  },
  updateEndpoint: {
    route: `PATCH ${ENDPOINTS}/{endpointId}`,
    by: 'owner',
    body: endpointChanges(false),
    answers: { 200: Endpoint },
  },
  deleteEndpoint: { route: `DELETE ${ENDPOINTS}/{endpointId}`, by: 'owner', answers: { 204: Empty } },
  /** For a day deliveries are signed under both secrets; done again meanwhile, the oldest ends at once. */
  rotateEndpointSecret: {
    route: `POST ${ENDPOINTS}/{endpointId}/rotate`,
    by: 'owner',
    isRepeatable: true,
    answers: { 201: SecretCreated },
  },
  /** A test, or a sample of another type. Tried once, also where the endpoint is off. */
  testEndpoint: {
    route: `POST ${ENDPOINTS}/{endpointId}/test`,
    by: 'owner',
    isRepeatable: true,
    body: sampleType,
    answers: { 201: DeliveryAsked },
  },
  /** The newest fifty of thirty days, newest first. */
  listDeliveries: {
    route: `GET ${ENDPOINTS}/{endpointId}/deliveries`,
    by: 'owner',
    isFree: true,
    answers: { 200: v.strictObject({ deliveries: upTo(50, Delivery) }) },
    refuses: ['TOO_MANY_REQUESTS'],
  },
  /** The same notice once more, under the same `webhook-id`; tried once, also where the endpoint is off. */
  repeatDelivery: {
    route: `POST ${ENDPOINTS}/{endpointId}/deliveries/{deliveryId}/repeat`,
    by: 'owner',
    isRepeatable: true,
    answers: { 201: DeliveryAsked },
  },
} as const satisfies Record<string, PortalOperation>;
