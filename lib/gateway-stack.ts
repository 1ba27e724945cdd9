import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ENVIRONMENT } from '../functions/contract.ts';
import { GatewayFunction } from './gateway-function.ts';
import { GatewayHttpApi } from './http-api.ts';
import type { StageSettings } from './settings.ts';
import { GatewayTables } from './tables.ts';

export interface GatewayStackProps extends StackProps {
  readonly settings: StageSettings;
}

/** The whole service: two tables, two functions, one HTTP API. */
export class GatewayStack extends Stack {
  constructor(scope: Construct, id: string, { settings, ...props }: GatewayStackProps) {
    super(scope, id, props);
    const tables = new GatewayTables(this, 'Tables');

    const origins = {
      [ENVIRONMENT.portalOrigin]: settings.portalOrigin ?? '',
      [ENVIRONMENT.localDevOrigin]: settings.localDevOrigin ?? '',
    };
    const health = new GatewayFunction(this, 'Health', { name: 'health', environment: origins });
    const ping = new GatewayFunction(this, 'Ping', {
      name: 'ping',
      environment: {
        ...origins,
        [ENVIRONMENT.gatewayTable]: tables.gateway.tableName,
        [ENVIRONMENT.usageTable]: tables.usage.tableName,
        [ENVIRONMENT.quotaPeriod]: settings.quotaPeriod,
      },
    });
    // What the ping function does, and no more. Its transactions are checked as the writes and reads in them.
    tables.gateway.grant(ping, 'dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem');
    tables.usage.grant(ping, 'dynamodb:PutItem');

    const api = new GatewayHttpApi(this, 'HttpApi', { health, ping });
    new CfnOutput(this, 'ApiUrl', { value: api.url });
    new CfnOutput(this, 'GatewayTableName', { value: tables.gateway.tableName });
    new CfnOutput(this, 'UsageTableName', { value: tables.usage.tableName });
  }
}
