/** A gateway in a stack of your own, without the portal: `npx cdk synth --app 'node examples/cdk/app.ts'`. */
import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { Gateway } from '../../lib/gateway.ts';
import { keyTagSecret } from '../../lib/key-tag-secret.ts';
import { GatewayTables } from '../../lib/tables.ts';

const app = new App();
const stack = new Stack(app, 'MyGateway');
const gateway = new Gateway(stack, 'Gateway', {
  stage: 'mine',
  tables: new GatewayTables(stack, 'Tables'),
  keyTagSecret: keyTagSecret(stack, 'KeyTagSecret'),
  portalOrigin: 'https://portal.example.com',
  quotaPeriod: 'day',
  meteredRequestsPerSecond: 20,
});
new CfnOutput(stack, 'ApiUrl', { value: gateway.url });
