import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import { STATUS_CODES } from 'node:http';
import { dump } from 'js-yaml';
import * as v from 'valibot';
import { Event, FirstRequest, RefusedInMinute } from '../../functions/portal/contract/events.ts';
import { Time } from '../../functions/portal/contract/fields.ts';
import { FORMS, RequestId } from '../../functions/portal/contract/ids.ts';
import { Key, KeyChanges, KeyCreated, Keys, NewKey, Rotation } from '../../functions/portal/contract/keys.ts';
import { DEFAULT_LIMIT, Limited, MAX_LIMIT } from '../../functions/portal/contract/lists.ts';
import {
  MANAGE_CONTRACT,
  ManageRefusingChange,
  ManageUsage,
  OwnToken,
  RequestDetails,
  Requests,
} from '../../functions/portal/contract/manage.ts';
import { manageCodesOf, partsOf, type ManageOperation } from '../../functions/portal/contract/operation.ts';
import { ManageProblem } from '../../functions/portal/contract/problem.ts';
import { Project, Projects } from '../../functions/portal/contract/projects.ts';
import { Bucket, Figures, OtherKeys } from '../../functions/portal/contract/usage.ts';
import { Count, Moment } from '../../functions/portal/contract/values.ts';
import { manageError, MANAGE_ERRORS, type ManageErrorCode } from '../../functions/portal/contract/manage-errors.ts';
import { PROBLEM, problemMembers } from '../../functions/shared/http/errors.ts';
import { EXAMPLES } from './manage-examples.ts';
import { DESCRIPTION, MEANINGS, OPERATION_TEXTS, PARAMETER_MEANINGS } from './manage-texts.ts';

/** The schemas that have a name in the document. */
const NAMED = {
  Token: OwnToken,
  Projects,
  Project,
  Keys,
  Key,
  KeyCreated,
  NewKey,
  KeyChanges,
  Rotation,
  Usage: ManageUsage,
  Figures,
  Bucket,
  OtherKeys,
  Requests,
  Request: Event,
  RequestDetails,
  RefusingChange: ManageRefusingChange,
  FirstRequest,
  RefusedInMinute,
  Problem: ManageProblem,
  Count,
  Time: Moment,
  GivenTime: Time,
  RequestId,
  Secret: KeyCreated.entries.key,
};
type JsonSchema = ReturnType<typeof toJsonSchema>;
/** Schemas in OpenAPI's own words. The form of a secret is no promise. */
const PLAIN: Readonly<Record<string, JsonSchema>> = {
  Count: { type: 'integer', minimum: 0 },
  Time: { type: 'string', format: 'date-time' },
  GivenTime: { type: 'string', format: 'date-time', description: 'With any offset.' },
  RequestId: { type: 'string', format: 'uuid' },
  Secret: { type: 'string', pattern: '^[a-z]{2,12}_test_', description: 'The secret itself, this once.' },
};
const CONVERSION: ConversionConfig = {
  target: 'draft-2020-12',
  typeMode: 'input',
  // A rule that JSON Schema cannot express is in the description of its member.
  errorMode: 'ignore',
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideSchema: ({ jsonSchema }) => {
    // A new member is no break: clients ignore it.
    const { additionalProperties, ...open } = jsonSchema;
    return additionalProperties === false ? open : undefined;
  },
};

/** A schema, with what its members mean. */
const described = (schema: JsonSchema, name: string): JsonSchema => ({
  ...schema,
  ...(schema.properties && {
    properties: Object.fromEntries(
      Object.entries(schema.properties).map(([member, property]) => {
        const description = MEANINGS[`${name}.${member}`] ?? MEANINGS[member];
        return [member, description === undefined ? property : { ...(property as object), description }];
      }),
    ),
  }),
});

const componentSchemas = (): object =>
  Object.fromEntries(
    Object.entries(toJsonSchemaDefs(NAMED, CONVERSION)).map(([name, schema]) => [
      name,
      PLAIN[name] ?? described(schema, name),
    ]),
  );

/** A schema in its place: a reference to one with a name, else the schema itself. */
function inPlace(schema: v.GenericSchema): JsonSchema {
  const { $schema: _, $defs: __, ...converted } = toJsonSchema(schema, { ...CONVERSION, definitions: NAMED });
  return converted;
}

/** The members of a query, which may be an intersection. */
const membersOf = ({ properties = {}, allOf = [] }: JsonSchema): [name: string, schema: unknown][] => [
  ...Object.entries(properties),
  ...allOf.flatMap((part) => membersOf(part as JsonSchema)),
];

/** As text in a query it is no number for the schema. */
const LIMIT = { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT };

function parametersOf({ route, query, isRepeatable }: ManageOperation): object[] {
  const [, path] = partsOf({ route });
  const parameter = (place: string, name: string, schema: unknown) => ({
    name,
    in: place,
    description: PARAMETER_MEANINGS[`${place} ${name}`] ?? PARAMETER_MEANINGS[name],
    schema,
    ...(place === 'path' && { required: true }),
  });
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    parameter('path', name, { type: 'string', pattern: FORMS[name as keyof typeof FORMS].source }),
  );
  const members = query ? membersOf(inPlace(query)) : [];
  const inQuery = members.map(([name, schema]) => parameter('query', name, name in Limited.entries ? LIMIT : schema));
  const header = { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7E]+$' };
  return [...inPath, ...inQuery, ...(isRepeatable ? [parameter('header', 'Idempotency-Key', header)] : [])];
}

const headersOf = (...names: string[]): object =>
  Object.fromEntries(
    ['X-Service-Request-Id', 'X-Service-Time', 'Cache-Control', ...names].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );

const named = (status: number | string): string => STATUS_CODES[status] ?? '';
const componentOf = (status: number): string => named(status).replaceAll(' ', '');
/** Every code, by its status. */
const BY_STATUS = Object.groupBy(Object.keys(MANAGE_ERRORS) as ManageErrorCode[], (code) => MANAGE_ERRORS[code].status);

function refusal(status: number, codes: readonly ManageErrorCode[]): object {
  const headers = [
    ...(status === 401 || status === 403 ? ['WWW-Authenticate'] : []),
    ...(codes.some((code) => MANAGE_ERRORS[code].retryable) ? ['Retry-After'] : []),
    ...(status === 405 ? ['Allow'] : []),
  ];
  return {
    description: `${named(status)}: ${codes.map((code) => `\`${code}\``).join(', ')}`,
    headers: headersOf(...headers),
    content: {
      [PROBLEM]: {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

/** A refusal that may have every code of its status is written once. */
function refusalInPlace(status: number, refuses: readonly ManageErrorCode[]): object {
  const all = BY_STATUS[status] ?? [];
  const codes = all.filter((code) => refuses.includes(code));
  return codes.length < all.length ? refusal(status, codes) : { $ref: `#/components/responses/${componentOf(status)}` };
}

type OperationId = keyof typeof MANAGE_CONTRACT;

function responsesOf(id: OperationId, operation: ManageOperation): object {
  const answered = Object.entries(operation.answers).map(([status, schema]) => [
    status,
    {
      description: named(status),
      headers: headersOf(),
      content: { 'application/json': { schema: inPlace(schema), example: EXAMPLES[id] } },
    },
  ]);
  const refuses = manageCodesOf(operation);
  const statuses = new Set(refuses.map((code) => MANAGE_ERRORS[code].status));
  return Object.fromEntries([
    ...answered,
    ...[...statuses].map((status) => [status, refusalInPlace(status, refuses)]),
  ]) as object;
}

function paths(): Record<string, Record<string, object>> {
  const all: ReturnType<typeof paths> = {};
  for (const [id, operation] of Object.entries<ManageOperation>(MANAGE_CONTRACT)) {
    const { tag, summary, description } = OPERATION_TEXTS[id as OperationId];
    const { body } = operation;
    const [method, path] = partsOf(operation);
    const parameters = parametersOf(operation);
    const requestBody = body && {
      required: !v.is(body, {}),
      content: { 'application/json': { schema: inPlace(body) } },
    };
    (all[path] ??= {})[method.toLowerCase()] = {
      operationId: id,
      tags: [tag],
      summary,
      description,
      ...(parameters.length > 0 && { parameters }),
      ...(requestBody && { requestBody }),
      responses: responsesOf(id as OperationId, operation),
    };
  }
  return all;
}

/** The contract of the management API in OpenAPI 3.1, from its schemas and its errors. */
export const manageDocument = () => ({
  openapi: '3.1.0',
  info: {
    title: 'Sandbox Developer Management',
    version: '1.0.0',
    summary: 'Keys and usage by program, with a management token.',
    description: DESCRIPTION,
    contact: { name: 'Platform team', email: 'team@example.com' },
    license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  },
  servers: [
    {
      url: '{portalUrl}',
      description: 'A deployed stage',
      variables: { portalUrl: { default: 'https://portal.example', description: "Address of the stage's portal." } },
    },
    { url: 'http://localhost:5173', description: 'npm start' },
  ],
  tags: [
    { name: 'Token', description: 'The token that asks.' },
    { name: 'Projects', description: 'What keys and the quota belong to.' },
    { name: 'Keys', description: 'Test keys; each is shown once.' },
    { name: 'Usage', description: 'What the ledger says.' },
  ],
  security: [{ Token: [] }],
  paths: paths(),
  components: {
    securitySchemes: {
      Token: {
        type: 'http',
        scheme: 'bearer',
        description: 'A management token of the account, such as `svc_mgmt_…`.',
      },
    },
    schemas: componentSchemas(),
    headers: {
      'X-Service-Request-Id': {
        required: true,
        description: 'Unique per request; the `requestId` of a problem.',
        schema: { type: 'string', format: 'uuid' },
      },
      'X-Service-Time': {
        required: true,
        description: 'The time of the response, by which ends and spans are judged.',
        schema: { type: 'string', format: 'date-time' },
      },
      'Cache-Control': { required: true, description: 'No response may be cached.', schema: { const: 'no-store' } },
      'WWW-Authenticate': {
        required: true,
        description: 'How to authenticate (RFC 6750).',
        schema: { type: 'string' },
      },
      'Retry-After': {
        required: true,
        description: 'Seconds to wait before the same request is sent again.',
        schema: { type: 'integer', minimum: 1 },
      },
      Allow: { required: true, description: 'The methods that the path takes.', schema: { type: 'string' } },
    },
    responses: Object.fromEntries(
      Object.entries(BY_STATUS).map(([status, codes]) => [
        componentOf(Number(status)),
        refusal(Number(status), codes ?? []),
      ]),
    ),
    examples: Object.fromEntries(
      (Object.keys(MANAGE_ERRORS) as ManageErrorCode[]).map((code) => [
        code,
        { value: problemMembers({ code, ...manageError(code) }, EXAMPLES.readRequest.requestId) },
      ]),
    ),
  },
});

/** The same as a file. */
export const manageYaml = (): string => dump(manageDocument(), { noRefs: true, lineWidth: 120 });
