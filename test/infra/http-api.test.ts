import { describe, expect, test } from '@jest/globals';
import { ROUTES } from '../../functions/gateway/operations/index.ts';
import { DEFAULT_ROUTE_FUNCTION, routeKeyOf } from '../../functions/shared/names.ts';
import { CERTIFICATE, propertiesOf, resourcesOf, stages } from '../support/stack.ts';

const API = 'AWS::ApiGatewayV2::Api';
const STAGE = 'AWS::ApiGatewayV2::Stage';
const ROUTE = 'AWS::ApiGatewayV2::Route';
const { alone, domain, full, prod } = await stages();
const { gateway, front } = alone;

interface Route {
  readonly RouteKey: string;
  readonly Target: { 'Fn::Join': [string, [string, { Ref: string }]] };
}
const routes = propertiesOf<Route>(gateway, ROUTE);

describe('the HTTP API', () => {
  test('has the routes of the contract and $default, and no other', () => {
    expect(routes.map(({ RouteKey }) => RouteKey).sort()).toEqual([...ROUTES.map(routeKeyOf), '$default'].sort());
  });

  test.each([
    ...ROUTES.map((route) => [routeKeyOf(route), route.function] as const),
    ['$default', DEFAULT_ROUTE_FUNCTION] as const,
  ])('sends %s to the function %s, as payload 2.0', (routeKey, name) => {
    const integrationId = routes.find(({ RouteKey }) => RouteKey === routeKey)?.Target['Fn::Join'][1][1].Ref ?? '';
    expect(gateway.Resources[integrationId]?.Properties).toMatchObject({
      PayloadFormatVersion: '2.0',
      IntegrationUri: { Ref: expect.stringMatching(name === 'metered' ? /MeteredLive/ : /HealthLive/) },
    });
  });

  test('leaves CORS to the functions', () => {
    for (const api of propertiesOf(front, API)) expect(api).not.toHaveProperty('CorsConfiguration');
  });

  test('throttles every route, metered operations by the settings of the stage', () => {
    expect(propertiesOf(full.gateway, STAGE)[0]).toMatchObject({
      DefaultRouteSettings: { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 },
      RouteSettings: { 'POST /api/v1/sandbox/ping': { ThrottlingRateLimit: 3_000, ThrottlingBurstLimit: 5_000 } },
    });
  });

  test('creates its routes before the stage that has settings for them', () => {
    const [[, stage] = []] = resourcesOf(gateway, STAGE);
    const ids = resourcesOf(gateway, ROUTE);
    expect(ids).toHaveLength(ROUTES.length + 1);
    expect(stage?.DependsOn).toEqual(expect.arrayContaining(ids.map(([id]) => id)));
  });

  test('logs each request as JSON, with the id that the function logs too, and without path, query and headers', () => {
    const [stage] = propertiesOf<{ AccessLogSettings: { Format: string; DestinationArn: unknown } }>(gateway, STAGE);
    const format = JSON.parse(stage?.AccessLogSettings.Format ?? '') as Record<string, string>;
    expect(format).toMatchObject({
      service: 'sandbox-gateway',
      stage: 'shop',
      requestId: '$context.requestId',
      integrationStatus: '$context.integrationStatus',
      routeKey: '$context.routeKey',
      status: '$context.status',
      responseLatencyMs: '$context.responseLatency',
      integrationError: '$context.integrationErrorMessage',
    });
    expect(Object.values(format)).not.toContainEqual(expect.stringMatching(/path|query|authorizer|header/i));
  });

  test('logs to a group that takes no place in the log resource policy of the account, named as no other stack’s', () => {
    const [[id, group] = []] = resourcesOf(gateway, 'AWS::Logs::LogGroup').filter(([name]) =>
      name.includes('AccessLog'),
    );
    const stackId = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };
    expect(group?.Properties).toMatchObject({
      LogGroupName: { 'Fn::Join': ['', ['/aws/vendedlogs/sandbox-gateway-shop/', stackId]] },
    });
    const [stage] = propertiesOf<{ AccessLogSettings: { DestinationArn: { 'Fn::Join': unknown[][] } } }>(
      gateway,
      STAGE,
    );
    // API Gateway stores it in this form: any other end is drift.
    expect(stage?.AccessLogSettings.DestinationArn['Fn::Join'][1]?.slice(-2)).toEqual([':log-group:', { Ref: id }]);
  });
});

test.each([
  ['sandbox-gateway', gateway],
  ['sandbox-gateway-portal', prod.portal],
])('what API Gateway itself refuses for the rate of %s is counted apart from the 429 of a key', (service, template) => {
  const [stage] = propertiesOf<{ AccessLogSettings: { Format: string } }>(template, STAGE);
  const line = { service, stage: 'shop', status: '$context.status' };
  expect(JSON.parse(stage?.AccessLogSettings.Format ?? '')).toMatchObject(line);
  expect(propertiesOf(template, 'AWS::Logs::MetricFilter')).toEqual([
    {
      LogGroupName: { Ref: expect.stringContaining('AccessLog') },
      FilterPattern: '{ $.status = "429" && $.integrationStatus = "-" }',
      MetricTransformations: [
        {
          MetricNamespace: 'SandboxGateway',
          MetricName: 'ThrottledRequests',
          MetricValue: '1',
          Dimensions: [
            { Key: 'service', Value: '$.service' },
            { Key: 'stage', Value: '$.stage' },
          ],
        },
      ],
    },
  ]);
});

describe('a domain of the team’s own', () => {
  const own = domain.front;

  test('is absent unless it is set', () => {
    expect(resourcesOf(front, 'AWS::ApiGatewayV2::DomainName')).toEqual([]);
    expect(propertiesOf(front, API)).toEqual([expect.objectContaining({ DisableExecuteApiEndpoint: false })]);
  });

  test('is mapped to the stage, with its certificate', () => {
    expect(propertiesOf(own, 'AWS::ApiGatewayV2::DomainName')[0]).toMatchObject({
      DomainName: 'api.example.com',
      DomainNameConfigurations: [{ CertificateArn: CERTIFICATE }],
    });
    const mapping = { DomainName: 'api.example.com' };
    expect(propertiesOf(domain.gateway, 'AWS::ApiGatewayV2::ApiMapping')).toEqual([expect.objectContaining(mapping)]);
  });

  test('is the only address', () => {
    expect(propertiesOf(own, API)).toEqual([expect.objectContaining({ DisableExecuteApiEndpoint: true })]);
    expect(own.Outputs).toMatchObject({ DomainTarget: {} });
    expect(domain.gateway.Outputs).toMatchObject({ ApiUrl: { Value: 'https://api.example.com' } });
  });
});
