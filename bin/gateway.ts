/** The CDK app: stage settings → stack. */
import { App } from 'aws-cdk-lib';
import { GatewayStack } from '../lib/gateway-stack.ts';
import { stageSettings } from '../lib/settings.ts';

const app = new App();
const settings = stageSettings((name) => app.node.tryGetContext(name));
new GatewayStack(app, `SandboxGateway-${settings.stage}`, {
  settings,
  description: `Sandbox developer gateway (${settings.stage})`,
});
