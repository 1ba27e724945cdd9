import { expect, test } from '@jest/globals';
import { banner } from '../../local/banner.ts';
import { localAddresses, localAddressFrom, localSettings, type Environment } from '../../local/settings.ts';

/** What `npm start` prints with this environment. */
function printed(environment: Environment): string {
  const settings = localSettings(environment);
  const { gatewayUrl, portalUrl } = localAddresses(environment);
  const databaseUrl =
    settings.database.kind === 'external' ? settings.database.address.endpoint : localAddressFrom(environment).endpoint;
  const facts = { gatewayUrl, portalOrigin: portalUrl ?? undefined, databaseUrl, databaseKind: 'external' };
  return banner({ ...facts, settings, projectId: 'p', key: 'k' });
}
/** The variables before a command that it prints; undefined: it prints no such command. */
function variablesOf(text: string, command: RegExp): Environment | undefined {
  const [, variables] =
    new RegExp(`^ +\\w+ +((?:\\w+=\\S+ )*)npm run admin -- ${command.source}`, 'm').exec(text) ?? [];
  return variables === undefined
    ? undefined
    : Object.fromEntries(Array.from(variables.matchAll(/(\w+)=(\S+) /g), ([, name = '', value = '']) => [name, value]));
}
const QUICK_START = /quick-start --local {3}/;

test.each([
  [{}, {}],
  [{ PORT: '4000' }, { PORT: '4000' }],
  [{ PORTAL: 'off' }, { PORTAL: 'off' }],
  [
    { PORTAL_PORT: '4001', DYNAMODB_PORT: '4002' },
    { PORTAL_PORT: '4001', DYNAMODB_PORT: '4002' },
  ],
  [{ QUOTA_PERIOD: 'day' }, { QUOTA_PERIOD: 'day' }],
  [{ AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:4003' }, { DYNAMODB_PORT: '4003' }],
  [{ AWS_ENDPOINT_URL_DYNAMODB: 'http://localhost' }, { DYNAMODB_PORT: '80' }],
] as [Environment, Environment][])('with %j the CLI finds the gateway by %j', (environment, named) => {
  const again = variablesOf(printed(environment), QUICK_START);
  expect(again).toEqual(named);
  expect(localAddresses(again ?? {})).toEqual(localAddresses(environment));
  expect(variablesOf(printed(environment), /--help$/)).toEqual(named);
});

test.each([
  { AWS_ENDPOINT_URL_DYNAMODB: 'https://dynamodb.eu-central-1.amazonaws.com', KEY_TAG_SECRETS: 'x'.repeat(32) },
  { AWS_ENDPOINT_URL_DYNAMODB: 'http://db.example:8000', KEY_TAG_SECRETS: 'x'.repeat(32) },
  { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000', GATEWAY_TABLE: 'Other' },
])('--local would lead elsewhere than %j: the CLI is told the database and its tables', (environment) => {
  const text = printed(environment);
  expect(variablesOf(text, /--help$/)).toEqual({
    AWS_ENDPOINT_URL_DYNAMODB: environment.AWS_ENDPOINT_URL_DYNAMODB,
    GATEWAY_TABLE: environment.GATEWAY_TABLE ?? 'Gateway',
    USAGE_TABLE: 'Usage',
  });
  expect(variablesOf(text, QUICK_START)).toBeUndefined();
  expect(text).not.toContain('xxx');
});
