import * as v from 'valibot';
import { NOTICE_TYPES, TEST_TYPE } from '../../shared/rules/notice-type.ts';
import { DeliveryId, EndpointId, formed } from './ids.ts';
import { ENDPOINT_STATES, endpointChanges, newEndpoint, sampleType } from './requests/endpoints.ts';
import { CREATION_CODES, Empty, OWNERS_CHANGE_CODES, OWNERS_READ_CODES, type PortalOperation } from './route.ts';
import { Count, Moment, upTo } from './values.ts';

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
  /** Of the last try. `address`: none, or not a public one; `withdrawn`: the endpoint was off. */
  failure: v.nullable(v.picklist(['status', 'timeout', 'address', 'connection', 'withdrawn'])),
  /** A test or a repeat, which is tried once. */
  asked: v.boolean(),
  /** What was sent; null: it was not tried yet. */
  body: v.nullable(v.string()),
});
export type Delivery = v.InferOutput<typeof Delivery>;

/** The signing secret, this once. */
const SecretCreated = v.strictObject({ endpointId: EndpointId, secret: formed(/^whsec_[0-9A-Za-z+/]{43}=$/) });
const DeliveryAsked = v.strictObject({ deliveryId: DeliveryId });

/** The webhook endpoints of an account. What waits for one that is off or deleted is not sent. */
export const endpointContract = {
  listEndpoints: { answers: { 200: v.strictObject({ endpoints: upTo(5, Endpoint) }) }, refuses: OWNERS_READ_CODES },
  /** A repeat within ten minutes has the same answer; a later one is CHANGED_MEANWHILE. */
  createEndpoint: {
    isRepeatable: true,
    body: newEndpoint(false),
    answers: { 201: SecretCreated },
    refuses: [...OWNERS_CHANGE_CODES, ...CREATION_CODES],
  },
  updateEndpoint: { body: endpointChanges(false), answers: { 200: Endpoint }, refuses: OWNERS_CHANGE_CODES },
  deleteEndpoint: { answers: { 204: Empty }, refuses: OWNERS_CHANGE_CODES },
  /** For a day deliveries are signed under both secrets; done again meanwhile, the oldest ends at once. */
  rotateEndpointSecret: { isRepeatable: true, answers: { 201: SecretCreated }, refuses: OWNERS_CHANGE_CODES },
  /** A test, or a sample of another type. Tried once, also where the endpoint is off. */
  testEndpoint: { isRepeatable: true, body: sampleType, answers: { 201: DeliveryAsked }, refuses: OWNERS_CHANGE_CODES },
  /** The newest fifty of thirty days, newest first. */
  listDeliveries: { answers: { 200: v.strictObject({ deliveries: upTo(50, Delivery) }) }, refuses: OWNERS_READ_CODES },
  /** The same notice once more, under the same `webhook-id`; tried once, also where the endpoint is off. */
  repeatDelivery: { isRepeatable: true, answers: { 201: DeliveryAsked }, refuses: OWNERS_CHANGE_CODES },
} as const satisfies Record<string, PortalOperation>;
