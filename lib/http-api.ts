import { HttpApi, HttpMethod, type HttpRouteIntegration } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { DEFAULT_ROUTE_FUNCTION, ROUTES, type FunctionName } from '../functions/contract.ts';

/**
 * The public API: the routes of the contract. CORS is the functions' business (`corsPreflight` stays unset), and so is
 * authentication: an authorizer's cache would delay a revocation.
 */
export class GatewayHttpApi extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, functions: Readonly<Record<FunctionName, IFunction>>) {
    super(scope, id);
    const integrations: Record<FunctionName, HttpRouteIntegration> = {
      health: new HttpLambdaIntegration('Health', functions.health),
      ping: new HttpLambdaIntegration('Ping', functions.ping),
    };
    const api = new HttpApi(this, 'Api', { defaultIntegration: integrations[DEFAULT_ROUTE_FUNCTION] });
    for (const { method, path, function: name } of ROUTES) {
      api.addRoutes({ path, methods: [HttpMethod[method]], integration: integrations[name] });
    }
    this.url = api.apiEndpoint;
  }
}
