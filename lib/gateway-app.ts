import { Annotations, App, type AppProps } from 'aws-cdk-lib';
import { stackNameOf } from '../functions/contract.ts';
import { DataStack } from './data-stack.ts';
import { GatewayStack } from './gateway-stack.ts';
import { stageSettings } from './settings.ts';

/** The CDK app of a stage, as its context says. Throws `SettingsError`. */
export function gatewayApp(props?: AppProps): { app: App; data: DataStack; gateway: GatewayStack } {
  const app = new App(props);
  const settings = stageSettings(app.node.getAllContext() as Record<string, unknown>);
  const { stage } = settings;
  const name = stackNameOf(stage);
  const data = new DataStack(app, `${name}-data`, {
    settings,
    description: `Sandbox developer gateway (${stage}): tables`,
  });
  const gateway = new GatewayStack(app, name, {
    settings,
    tables: data.tables,
    description: `Sandbox developer gateway (${stage})`,
  });
  if (stage !== 'dev' && settings.alarmEmail === undefined) {
    Annotations.of(gateway).addWarningV2(
      'sandbox-gateway:alarmEmail',
      'No alarmEmail: subscribe someone to the topic.',
    );
  }
  return { app, data, gateway };
}
