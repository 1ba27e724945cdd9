import { Annotations, App, type AppProps, type Stack } from 'aws-cdk-lib';
import { stackNameOf } from '../functions/wiring.ts';
import { DataStack } from './data-stack.ts';
import { edgeOf } from './edge/edge.ts';
import { EDGE_REGION, EdgeStack } from './edge/edge-stack.ts';
import { GatewayStack } from './gateway-stack.ts';
import { OWN_RUNBOOK } from './setting-values.ts';
import { stageSettings, type StageSettings } from './settings.ts';

export interface GatewayApp {
  readonly app: App;
  readonly data: DataStack;
  readonly gateway: GatewayStack;
  /** Where one is set. */
  readonly edge?: EdgeStack;
}

/** The CDK app of a stage, as its context says. Throws `SettingsError`. */
export function gatewayApp(props?: AppProps): GatewayApp {
  const app = new App(props);
  const settings = stageSettings(app.node.getAllContext() as Record<string, unknown>);
  const { stage, account, region } = settings;
  // The CDK refuses to deploy to another account or region than these.
  const env = { ...(account !== undefined && { account }), ...(region !== undefined && { region }) };
  const name = stackNameOf(stage);
  const data = new DataStack(app, `${name}-data`, {
    settings,
    env,
    description: `Sandbox developer gateway (${stage}): tables and the secret of key tags`,
  });
  const gateway = new GatewayStack(app, name, {
    settings,
    env,
    tables: data.tables,
    keyTagSecret: data.keyTagSecret,
    description: `Sandbox developer gateway (${stage})`,
  });
  if (stage !== 'dev') warnOfGaps(gateway, settings);
  const edge = edgeOf(settings);
  if (edge === undefined) return { app, data, gateway };
  const edgeStack = new EdgeStack(app, `${name}-edge`, {
    settings,
    edge,
    env: { ...env, region: EDGE_REGION },
    description: `Sandbox developer gateway (${stage}): what refuses floods before they reach the API`,
  });
  return { app, data, gateway, edge: edgeStack };
}

/** What goes without being set, and is found out when it is too late. */
function warnOfGaps(stack: Stack, { stage, account, domainName, alarmEmail, runbookUrl }: StageSettings): void {
  const warn = (setting: string, message: string): void => {
    Annotations.of(stack).addWarningV2(`sandbox-gateway:${setting}`, message);
  };
  if (account === undefined) warn('account', 'No account and region: a wrong profile makes a second stage elsewhere.');
  if (stage === 'prod' && domainName === undefined) {
    warn('domainName', 'No domainName: the address of the API goes with its stack, and callers cannot follow.');
  }
  if (alarmEmail === undefined) warn('alarmEmail', 'No alarmEmail: subscribe someone to the topic.');
  if (runbookUrl === OWN_RUNBOOK) warn('runbookUrl', 'No runbookUrl: the alarms cannot link to the runbook.');
}
