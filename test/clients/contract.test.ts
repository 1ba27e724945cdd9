import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { expect, test } from '@jest/globals';
import { answer, problem } from 'sandbox-gateway/testing';
import { problemResponse } from '../../functions/gateway/middleware/request-context.ts';
import { ERRORS, GatewayError, type ErrorCode as GatewayCode } from '../../functions/shared/http/errors.ts';
import { mismatches } from '../../local/openapi/validation.ts';
import { PYTHON_PROGRAM, testInPython } from '../support/python.ts';

interface Schema {
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Contract {
  readonly webhooks: Readonly<Record<string, unknown>>;
  readonly components: { readonly schemas: Readonly<Record<'ErrorCode' | 'PingRequest' | 'Ping' | 'Health', Schema>> };
}

const { webhooks, components } = load(readFileSync('openapi.yaml', 'utf8')) as Contract;
const { ErrorCode, PingRequest, Ping, Health } = components.schemas;

/** The members of an answer: a value where there is only one. */
const membersOf = ({ properties = {} }: Schema) =>
  Object.entries(properties)
    .map(([name, property]) => [name, property.const ?? 'string'])
    .toSorted();
/** What of the contract the libraries have types of. Each is written by hand, so that its folder is all of it. */
const EXPECTED = {
  ErrorCode: ErrorCode.enum?.toSorted(),
  Simulation: PingRequest.properties?.simulate?.enum?.toSorted(),
  PingRequest: Object.keys(PingRequest.properties ?? {}).toSorted(),
  Ping: membersOf(Ping),
  Health: membersOf(Health),
};

test('the contract has every member of a ping’s answer in every answer', () => {
  expect(Ping.required?.toSorted()).toEqual(EXPECTED.Ping.map(([name]) => name));
});

test.each(['clients/typescript/src/notices.ts', 'clients/python/sandbox_gateway/_notices.py'])(
  '%s has the types of webhooks',
  (path) => {
    const named = [...readFileSync(path, 'utf8').matchAll(/['"]([a-z]+\.[a-z_]+)['"]/g)].map(([, type]) => type);
    expect(named.toSorted()).toEqual(Object.keys(webhooks).toSorted());
  },
);

test('the types of the TypeScript library are those of openapi.yaml', () => {
  const text = readFileSync('clients/typescript/src/types.ts', 'utf8');
  const codes = (type: string) =>
    [...(new RegExp(`type ${type} =([^;]*);`).exec(text)?.[1] ?? '').matchAll(/'(\w+)'/g)]
      .map(([, code]) => code)
      .toSorted();
  const members = (type: string) => {
    const body = new RegExp(`interface ${type} \\{([^}]*)\\}`).exec(text)?.[1] ?? '';
    return [...body.matchAll(/readonly (\w+)\??: (.*);/g)].map(([, name = '', value = '']) => [
      name,
      value === 'true' || (/^'(.*)'$/.exec(value)?.[1] ?? value),
    ]);
  };
  expect({
    // Made from the gateway's own catalogue.
    ErrorCode: EXPECTED.ErrorCode,
    Simulation: codes('Simulation'),
    PingRequest: members('PingRequest')
      .map(([name]) => name)
      .toSorted(),
    Ping: members('Ping').toSorted(),
    Health: members('Health').toSorted(),
  }).toEqual(EXPECTED);
});

test.each(Object.keys(ERRORS) as GatewayCode[])('a problem for tests is as the gateway sends it: %s', async (code) => {
  const tested = problem(code);
  const requestId = tested.headers.get('X-Service-Request-Id') ?? '';
  const { statusCode, headers = {}, body } = problemResponse(new GatewayError(code), requestId);
  const sent = Object.entries({ ...headers, 'X-Service-Request-Id': requestId, 'Cache-Control': 'no-store' });
  expect(await tested.text()).toBe(body);
  expect([tested.status, Object.fromEntries(tested.headers)]).toEqual([
    statusCode,
    Object.fromEntries(sent.map(([name, value]) => [name.toLowerCase(), value])),
  ]);
});

testInPython('so are those of the Python library', () => {
  const program = `
import json, typing
from sandbox_gateway import ErrorCode
from sandbox_gateway.testing import problem
each = ((code, problem(code)) for code in typing.get_args(ErrorCode))
print(json.dumps([[code, told.status_code, dict(told.headers), told.text] for code, told in each]))`;
  const env = { ...process.env, PYTHONPATH: 'clients/python', PYTHONDONTWRITEBYTECODE: '1' };
  const told = JSON.parse(execFileSync(PYTHON_PROGRAM, ['-c', program], { env }).toString()) as readonly [
    code: GatewayCode,
    status: number,
    headers: Record<string, string>,
    text: string,
  ][];
  expect(told.map(([code]) => code)).toEqual(Object.keys(ERRORS));
  for (const [code, status, { 'content-length': _, ...headers }, text] of told) {
    const requestId = headers['x-service-request-id'] ?? '';
    const sent = problemResponse(new GatewayError(code), requestId);
    const all = { ...sent.headers, 'X-Service-Request-Id': requestId, 'Cache-Control': 'no-store' };
    const lowered = Object.fromEntries(Object.entries(all).map(([name, value]) => [name.toLowerCase(), value]));
    expect([code, status, headers, text]).toEqual([code, sent.statusCode, lowered, sent.body]);
  }
});

test('an answer for tests has what the contract says', async () => {
  for (const tested of [answer(), answer({ replayed: true, quota: null })]) {
    const [headers, body] = [Object.fromEntries(tested.headers), await tested.text()];
    const received = { status: tested.status, headers, text: body, body: JSON.parse(body) as unknown };
    // Those of every answer that a browser reads, and the standard's form of the limits, which no library reads.
    const others = /^(Vary|Access-Control-.*|RateLimit|RateLimit-Policy)$/;
    const found = mismatches('POST', '/api/v1/sandbox/ping', received).filter(({ subject }) => !others.test(subject));
    expect(found).toEqual([]);
  }
});

const TYPES = `
import inspect, json, typing
from sandbox_gateway import ErrorCode, Health, Ping, SandboxGateway, Simulation
one = lambda hint: typing.get_args(hint)[0] if typing.get_args(hint) else "string"
signature = inspect.signature(SandboxGateway.ping).parameters.values()
print(json.dumps({
    "ErrorCode": sorted(typing.get_args(ErrorCode)),
    "Simulation": sorted(typing.get_args(Simulation)),
    "PingRequest": [each.name for each in signature if each.kind == each.POSITIONAL_OR_KEYWORD and each.name != "self"],
    **{
        kind.__name__: sorted([name, one(hint)] for name, hint in typing.get_type_hints(kind).items())
        for kind in (Ping, Health)
    },
}))`;

testInPython('the types of the Python library are those of openapi.yaml', () => {
  const env = { ...process.env, PYTHONPATH: 'clients/python', PYTHONDONTWRITEBYTECODE: '1' };
  const types: unknown = JSON.parse(execFileSync(PYTHON_PROGRAM, ['-c', TYPES], { env }).toString());
  const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  expect(types).toEqual({
    ...EXPECTED,
    PingRequest: EXPECTED.PingRequest.map(snakeCase),
    Ping: EXPECTED.Ping.map(([name, value]) => [snakeCase(name as string), value]),
    Health: EXPECTED.Health.map(([name, value]) => [snakeCase(name as string), value]),
  });
});
