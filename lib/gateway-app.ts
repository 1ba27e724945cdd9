import { Annotations, App, type AppProps, type Stack } from 'aws-cdk-lib';
import { portalStackNameOf, stackNameOf } from '../functions/wiring.ts';
import { DataStack } from './data-stack.ts';
import { GatewayStack } from './gateway-stack.ts';
import { PortalStack } from './portal/portal-stack.ts';
import { hasPortal } from './portal/settings.ts';
import { OWN_RUNBOOK } from './setting-values.ts';
import { stageSettings, type StageSettings } from './settings.ts';

/** The CDK app of a stage, as its context says. Throws `SettingsError`. */
export function gatewayApp(props?: AppProps): {
  app: App;
  data: DataStack;
  gateway: GatewayStack;
  /** Undefined: the stage has none. */
  portal: PortalStack | undefined;
} {
  const app = new App(props);
  const settings = stageSettings(app.node.getAllContext() as Record<string, unknown>);
  const { stage } = settings;
  const name = stackNameOf(stage);
  const data = new DataStack(app, `${name}-data`, {
    settings,
    description: `Sandbox developer gateway (${stage}): tables and the secret of key tags`,
  });
  const gateway = new GatewayStack(app, name, {
    settings,
    tables: data.tables,
    keyTagSecret: data.keyTagSecret,
    description: `Sandbox developer gateway (${stage})`,
  });
  if (stage !== 'dev') warnOfSilence(gateway, settings);
  const portal = hasPortal(settings) ? addPortal(app, settings, data, gateway) : undefined;
  return { app, data, gateway, portal };
}

function addPortal(app: App, settings: StageSettings, data: DataStack, gateway: GatewayStack): PortalStack {
  const portal = new PortalStack(app, portalStackNameOf(settings.stage), {
    settings,
    tables: data.tables,
    keyTagSecret: data.keyTagSecret,
    people: data.people,
    gatewayUrl: gateway.url,
    alarmTopic: gateway.alarmTopic,
    // Where the gateway is: its address and topic are looked up in the same account and region.
    env: { account: gateway.account, region: gateway.region },
    description: `Sandbox developer portal (${settings.stage})`,
  });
  // Its page calls the gateway, which must let it.
  portal.addStackDependency(gateway);
  return portal;
}

/** Alarms that reach nobody, or lead nowhere, are found out when it is too late. */
function warnOfSilence(stack: Stack, { alarmEmail, runbookUrl }: StageSettings): void {
  const warn = (setting: string, message: string): void => {
    Annotations.of(stack).addWarningV2(`sandbox-gateway:${setting}`, message);
  };
  if (alarmEmail === undefined) warn('alarmEmail', 'No alarmEmail: subscribe someone to the topic.');
  if (runbookUrl === OWN_RUNBOOK) warn('runbookUrl', 'No runbookUrl: the alarms cannot link to the runbook.');
}
