import { Annotations, App, Stack, type AppProps, type Environment } from 'aws-cdk-lib';
import { noticesStackNameOf, portalStackNameOf, stackNameOf } from '../functions/wiring.ts';
import { DataStack } from './data-stack.ts';
import { edgeOf, type Edge } from './edge/edge.ts';
import { EdgeStack } from './edge/edge-stack.ts';
import { isBeingCreated } from './first-creation.ts';
import { GatewayStack } from './gateway-stack.ts';
import { EDGE_REGION } from './monitoring/metrics.ts';
import { NoticesStack } from './notices/notices-stack.ts';
import { PortalStack } from './portal/portal-stack.ts';
import { hasPortal } from './portal/settings.ts';
import { usesUserPool } from './portal/user-pool.ts';
import { OWN_RUNBOOK } from './setting-values.ts';
import { stageSettings, type StageSettings } from './settings.ts';

export interface GatewayApp {
  readonly app: App;
  readonly data: DataStack;
  readonly gateway: GatewayStack;
  /** Undefined: the stage has none. */
  readonly portal: PortalStack | undefined;
  /** The stack of the notices; undefined: there is no portal. */
  readonly notices: NoticesStack | undefined;
  readonly edge: EdgeStack | undefined;
}

/** The CDK app of the stage in its context. Throws `SettingsError`. */
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
  const portal = hasPortal(settings) ? addPortal(app, { settings, env, data, gateway }) : undefined;
  const notices = portal && addNotices(app, { settings, env, data, gateway, portal });
  const place = edgeOf(settings);
  const edge = place && addEdge(app, { settings, env, edge: place });
  for (const stack of app.node.children.filter(Stack.isStack)) {
    if (isBeingCreated(stack)) stack.terminationProtection = false;
  }
  return { app, data, gateway, portal, notices, edge };
}

interface Made {
  readonly settings: StageSettings;
  readonly env: Environment;
}

function addPortal(
  app: App,
  { settings, env, data, gateway }: Made & { readonly data: DataStack; readonly gateway: GatewayStack },
): PortalStack {
  const portal = new PortalStack(app, portalStackNameOf(settings.stage), {
    settings,
    env,
    tables: data.tables,
    keyTagSecret: data.keyTagSecret,
    people: usesUserPool(settings) ? data.people : undefined,
    gatewayUrl: gateway.url,
    alarmTopic: gateway.alarmTopic,
    description: `Sandbox developer portal (${settings.stage})`,
  });
  // The portal's page calls the gateway, which must allow the portal's origin.
  portal.addStackDependency(gateway);
  return portal;
}

function addNotices(
  app: App,
  {
    settings,
    env,
    data,
    gateway,
    portal,
  }: Required<Pick<GatewayApp, 'data' | 'gateway'>> & Made & { portal: PortalStack },
): NoticesStack {
  const notices = new NoticesStack(app, noticesStackNameOf(settings.stage), {
    settings,
    env,
    tables: data.tables,
    keyTagSecret: data.keyTagSecret,
    portalOrigin: portal.origin,
    alarmTopic: gateway.alarmTopic,
    description: `Sandbox developer portal (${settings.stage}): what tells people and endpoints of changes`,
  });
  // The mails of the notices link to the portal.
  notices.addStackDependency(portal);
  return notices;
}

const addEdge = (app: App, { settings, env, edge }: Made & { readonly edge: Edge }): EdgeStack =>
  new EdgeStack(app, `${stackNameOf(settings.stage)}-edge-${edge.region}`, {
    settings,
    edge,
    env: { ...env, region: EDGE_REGION },
    description: `Sandbox developer gateway (${settings.stage}): what refuses floods before they reach the API`,
  });

/** Warns of missing settings whose absence would be noticed too late. */
function warnOfGaps(stack: Stack, settings: StageSettings): void {
  const { stage, account, region, domainName, alarmEmail, runbookUrl, probe, keepUserPool } = settings;
  const warn = (setting: string, message: string): void => {
    Annotations.of(stack).addWarningV2(`sandbox-gateway:${setting}`, message);
  };
  if (account === undefined) warn('account', 'No account and region: a wrong profile makes a second stage elsewhere.');
  if (stage === 'prod' && domainName === undefined) {
    warn('domainName', 'No domainName: the address of the API goes with its stack, and callers cannot follow.');
  }
  if (alarmEmail === undefined) warn('alarmEmail', 'No alarmEmail: subscribe someone to the topic.');
  if (hasPortal(settings) && probe === 'off' && region !== EDGE_REGION) {
    warn('probe', `No probe: outside ${EDGE_REGION} nothing else watches CloudFront before the portal.`);
  }
  if (usesUserPool(settings) && keepUserPool === 'false') {
    warn('keepUserPool', 'No keepUserPool: if the portal is ever taken away, so is its pool; everybody is new then.');
  }
  if (runbookUrl === OWN_RUNBOOK) warn('runbookUrl', 'No runbookUrl: the alarms cannot link to the runbook.');
}
