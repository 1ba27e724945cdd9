import type { Hono } from 'hono';
import * as v from 'valibot';
import { deliveryView, readDeliveries, repeatDelivery, testEndpoint } from '../accounts/endpoints/deliveries.ts';
import {
  createEndpoint,
  deleteEndpoint,
  endpointView,
  listEndpoints,
  readEndpoint,
  rotateEndpointSecret,
  updateEndpoint,
} from '../accounts/endpoints/endpoints.ts';
import { countRead } from '../accounts/request-rate.ts';
import { requireOwner } from '../accounts/team/stored-members.ts';
import { containsApiKey } from '../shared/rules/api-key.ts';
import { ENDPOINT_URL_RULE, endpointUrl } from '../shared/rules/endpoint-url.ts';
import { allFulfilled } from '../shared/rules/fulfilled.ts';
import { NOTICE_TYPES, TEST_TYPE } from '../shared/rules/notice-type.ts';
import { askedByMember } from './changes.ts';
import { CHANGE, declares } from './declares.ts';
import type { PortalEnvironment } from './environment.ts';
import { Nothing } from './fields.ts';
import { pathId } from './paths.ts';
import { askedByOwner, askedOfAccount } from './reads.ts';
import type { AuthorityDependencies } from './session/authority.ts';

export interface EndpointDependencies extends AuthorityDependencies {
  /** Whether endpoints may be at `http://localhost`. Only with `npm start`; absent: no. */
  readonly hasLocalEndpoints?: boolean;
}

const KINDS_RULE = `Give one or more of ${NOTICE_TYPES.join(', ')}, each once.`;
/** In the order of `NOTICE_TYPES`, whatever the order of the input. */
const Kinds = v.pipe(
  v.array(v.picklist(NOTICE_TYPES, KINDS_RULE), KINDS_RULE),
  v.minLength(1, KINDS_RULE),
  v.check((kinds) => new Set(kinds).size === kinds.length, KINDS_RULE),
  v.transform((kinds) => NOTICE_TYPES.filter((type) => kinds.includes(type))),
);
const urlSchema = (isLocal: boolean) =>
  v.pipe(
    v.string(ENDPOINT_URL_RULE),
    v.check((text) => !containsApiKey(text), 'An address must not hold an API key.'),
    v.transform((text) => endpointUrl(text, isLocal)),
    v.string(ENDPOINT_URL_RULE),
  );
const TYPE_RULE = `Give ${TEST_TYPE} or one of ${NOTICE_TYPES.join(', ')}.`;
/** What a requested delivery is a sample of. */
const Sample = v.object({ type: v.optional(v.picklist([TEST_TYPE, ...NOTICE_TYPES], TYPE_RULE), TEST_TYPE) });
const Status = v.picklist(['active', 'disabled'], 'Give active or disabled.');

const ENDPOINTS = '/api/accounts/:accountId/endpoints';
const ENDPOINT = `${ENDPOINTS}/:endpointId`;

/** What each route writes, and who may set which member of its body. */
const MAY = {
  list: declares({ writes: ['USED/READS'] }),
  create: declares({
    writes: [...CHANGE, 'NOTICES/ENDPOINT', 'NOTICES/ENDPOINTS'],
    sets: { url: 'owner', kinds: 'owner' },
  }),
  update: declares({
    writes: [...CHANGE, 'NOTICES/ENDPOINT'],
    sets: { url: 'owner', kinds: 'owner', status: 'owner' },
  }),
  delete: declares({ writes: [...CHANGE, 'NOTICES/ENDPOINT', 'NOTICES/ENDPOINTS', 'NOTICES/ENDED'] }),
  rotate: declares({ writes: [...CHANGE, 'NOTICES/ENDPOINT'] }),
  test: declares({ writes: [...CHANGE, 'NOTICES/DELIVERY', 'NOTICES/ENDPOINT'], sets: { type: 'owner' } }),
  ask: declares({ writes: [...CHANGE, 'NOTICES/DELIVERY', 'NOTICES/ENDPOINT'] }),
};

/** The webhook endpoints of an account, for its owners. Only the answer that makes a secret contains it. */
export function endpointRoutes(app: Hono<PortalEnvironment>, dependencies: EndpointDependencies): void {
  const Url = urlSchema(dependencies.hasLocalEndpoints === true);
  const NewEndpoint = v.object({ url: Url, kinds: Kinds });
  const Changed = v.pipe(
    v.object({ url: v.optional(Url), kinds: v.optional(Kinds), status: v.optional(Status) }),
    v.check((given) => Object.values(given).some((value) => value !== undefined), 'Give url, kinds or status.'),
  );

  app.get(ENDPOINTS, MAY.list, async (c) => {
    const { store, membership } = await askedByOwner(c, dependencies);
    return c.json({ endpoints: (await listEndpoints(store, membership.accountId)).map(endpointView) });
  });

  app.post(ENDPOINTS, MAY.create, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store, input, idempotencyKey } = await askedByMember(c, dependencies, accountId, NewEndpoint);
    return c.json(await createEndpoint(store, accountId, input, idempotencyKey), 201);
  });

  app.patch(ENDPOINT, MAY.update, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store, input } = await askedByMember(c, dependencies, accountId, Changed);
    return c.json(endpointView(await updateEndpoint(store, accountId, pathId(c, 'endpointId'), input)));
  });

  app.delete(ENDPOINT, MAY.delete, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store } = await askedByMember(c, dependencies, accountId, Nothing);
    await deleteEndpoint(store, accountId, pathId(c, 'endpointId'));
    return c.body(null, 204);
  });

  app.post(`${ENDPOINT}/rotate`, MAY.rotate, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store, idempotencyKey } = await askedByMember(c, dependencies, accountId, Nothing);
    return c.json(await rotateEndpointSecret(store, accountId, pathId(c, 'endpointId'), idempotencyKey), 201);
  });

  app.post(`${ENDPOINT}/test`, MAY.test, async (c) => {
    const [accountId, endpointId] = [pathId(c, 'accountId'), pathId(c, 'endpointId')];
    const { store, input, idempotencyKey } = await askedByMember(c, dependencies, accountId, Sample);
    return c.json({ deliveryId: await testEndpoint(store, accountId, endpointId, input.type, idempotencyKey) }, 201);
  });

  app.get(`${ENDPOINT}/deliveries`, MAY.list, async (c) => {
    const { store, membership } = await askedOfAccount(c, dependencies);
    const [accountId, endpointId] = [membership.accountId, pathId(c, 'endpointId')];
    await allFulfilled([readEndpoint(store, accountId, endpointId), requireOwner(store), countRead(store)]);
    const deliveries = await readDeliveries(store, accountId, endpointId);
    return c.json({ deliveries: deliveries.map(deliveryView) });
  });

  app.post(`${ENDPOINT}/deliveries/:deliveryId/repeat`, MAY.ask, async (c) => {
    const [accountId, endpointId] = [pathId(c, 'accountId'), pathId(c, 'endpointId')];
    const { store, idempotencyKey } = await askedByMember(c, dependencies, accountId, Nothing);
    const repeated = repeatDelivery(store, accountId, endpointId, pathId(c, 'deliveryId'), idempotencyKey);
    return c.json({ deliveryId: await repeated }, 201);
  });
}
