import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from '@jest/globals';
import { DEFAULT_ROUTE_FUNCTION, ROUTES, routeKeyOf } from '../../functions/contract.ts';
import { GatewayStack } from '../../lib/gateway-stack.ts';
import { stageSettings } from '../../lib/settings.ts';

/** The feature flags of `cdk.json`: without them the tests would look at another template than the one deployed. */
const { context: flags } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };

const synthesise = (context: Record<string, string> = {}): Template => {
  // The bundles have nothing to do with the template's properties, and take most of the time.
  const app = new App({ context: { ...flags, ...context, 'aws:cdk:bundling-stacks': [] } });
  return Template.fromStack(new GatewayStack(app, 'Test', { settings: stageSettings((name) => context[name]) }));
};
const template = synthesise();

/** The logical id of the only resource of a type whose properties match. */
const idOf = (type: string, properties: object): string => {
  const ids = Object.keys(template.findResources(type, { Properties: properties }));
  expect(ids).toHaveLength(1);
  return ids[0] ?? '';
};
const functionId = (name: 'health' | 'ping') =>
  idOf('AWS::Lambda::Function', name === 'ping' ? withTable(Match.anyValue()) : withTable(Match.absent()));
const withTable = (value: unknown) => ({
  Environment: { Variables: Match.objectLike({ GATEWAY_TABLE: value }) },
});

describe('the tables', () => {
  test('are two, with a string partition and sort key, TTL, and billing on demand', () => {
    template.resourceCountIs('AWS::DynamoDB::GlobalTable', 2);
    template.allResourcesProperties('AWS::DynamoDB::GlobalTable', {
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      BillingMode: 'PAY_PER_REQUEST',
    });
  });

  test('are kept when the stack is deleted', () => {
    template.allResources('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });
});

describe('the functions', () => {
  test('are two, on Node 24 and arm64', () => {
    template.resourceCountIs('AWS::Lambda::Function', 2);
    template.allResourcesProperties('AWS::Lambda::Function', { Runtime: 'nodejs24.x', Architectures: ['arm64'] });
  });

  test('have the roles that their work needs: ping five kinds of access, health none', () => {
    const policies = Object.values(template.findResources('AWS::IAM::Policy')) as {
      Properties: { PolicyDocument: { Statement: { Action: unknown; Effect: string }[] } };
    }[];
    const statements = policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
    expect(statements.map(({ Action }) => Action)).toEqual([
      ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
      'dynamodb:PutItem',
    ]);
  });
});

describe('the HTTP API', () => {
  test('has the routes of the contract and $default, and no other', () => {
    const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route')) as {
      Properties: { RouteKey: string };
    }[];
    expect(routes.map(({ Properties }) => Properties.RouteKey).sort()).toEqual(
      [...ROUTES.map(routeKeyOf), '$default'].sort(),
    );
  });

  test.each([
    ...ROUTES.map((route) => [routeKeyOf(route), route.function] as const),
    ['$default', DEFAULT_ROUTE_FUNCTION] as const,
  ])('sends %s to the function %s, as payload 2.0', (routeKey, name) => {
    const [route] = Object.values(
      template.findResources('AWS::ApiGatewayV2::Route', { Properties: { RouteKey: routeKey } }),
    ) as { Properties: { Target: { 'Fn::Join': [string, [string, { Ref: string }]] } } }[];
    const integrationId = route?.Properties.Target['Fn::Join'][1][1].Ref ?? '';
    const integration = template.findResources('AWS::ApiGatewayV2::Integration')[integrationId];
    expect(integration?.Properties).toMatchObject({
      PayloadFormatVersion: '2.0',
      IntegrationUri: { 'Fn::GetAtt': [functionId(name), 'Arn'] },
    });
  });

  test('leaves CORS to the functions', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', { CorsConfiguration: Match.absent() });
  });
});

describe('the origins', () => {
  const variables = (context: Record<string, string>) =>
    Object.values(synthesise(context).findResources('AWS::Lambda::Function')).map(
      (resource) =>
        (resource as { Properties: { Environment: { Variables: Record<string, string> } } }).Properties.Environment
          .Variables,
    );

  test('of a portal under development are allowed in dev, and in prod only when set', () => {
    const prod = { stage: 'prod', portalOrigin: 'https://portal.example.com' };
    for (const { LOCAL_DEV_ORIGIN } of variables({})) expect(LOCAL_DEV_ORIGIN).toBe('http://localhost:5173');
    for (const { LOCAL_DEV_ORIGIN } of variables(prod)) expect(LOCAL_DEV_ORIGIN).toBe('');
    for (const { LOCAL_DEV_ORIGIN } of variables({ ...prod, localDevOrigin: 'http://localhost:9' }))
      expect(LOCAL_DEV_ORIGIN).toBe('http://localhost:9');
  });

  test('of the portal reach both functions', () => {
    const found = variables({ portalOrigin: 'https://portal.example.com' });
    expect(found.map(({ PORTAL_ORIGIN }) => PORTAL_ORIGIN)).toEqual(Array(2).fill('https://portal.example.com'));
  });
});

test('an unknown stage is refused', () => {
  expect(() => synthesise({ stage: 'production' })).toThrow('stage must be one of dev, staging, prod.');
});
