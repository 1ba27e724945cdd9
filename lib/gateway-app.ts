import { Annotations, App, Tags, type AppProps, type StackProps } from 'aws-cdk-lib';
import { noticesStackNameOf, portalStackNameOf, stackNameOf } from './stack-names.ts';
import { DataStack } from './data-stack.ts';
import { EdgeStack } from './edge/edge-stack.ts';
import { FrontStack, PortalFrontStack } from './front-stacks.ts';
import { GatewayStack } from './gateway-stack.ts';
import { EDGE_REGION } from './monitoring/metrics.ts';
import { NoticesStack } from './notices/notices-stack.ts';
import { PortalStack } from './portal/portal-stack.ts';
import { hasPortal } from './setting-contradictions.ts';
import { OWN_RUNBOOK } from './setting-values.ts';
import { stagePropsOf, stageSettings, type StageSettings } from './settings.ts';

export interface GatewayAppProps extends AppProps {
  /** The folder of the portal's built pages (`buildApp`). */
  readonly pagesDirectory: string;
}

/**
 * The CDK app of the stage in its context: its stacks, cut by how long what is in them lives. Those of the portal and of
 * the notices are undefined where the stage has no portal of its own, and that of the edge without one. Throws
 * `SettingsError`.
 */
export function gatewayApp({ pagesDirectory, ...props }: GatewayAppProps) {
  const app = new App(props);
  const settings = stageSettings(app.node.getAllContext() as Record<string, unknown>);
  const { stage, account, region, production: terminationProtection } = settings;
  // So that costs can be told apart. CloudFormation gives a stack's tags to all its resources. The templates name them,
  // too, except for types whose schema takes none, or takes them in a form of its own.
  const tags = { app: 'sandbox-gateway', stage };
  const excludeResourceTypes = ['AWS::CloudWatch::Dashboard', 'AWS::Cognito::UserPool'];
  for (const [key, value] of Object.entries(tags)) Tags.of(app).add(key, value, { excludeResourceTypes });
  const name = stackNameOf(stage);
  const stackProps = (what: string): StackProps & { readonly settings: StageSettings } => ({
    settings,
    terminationProtection,
    tags,
    // The CDK refuses to deploy to another account or region than these.
    env: { ...(account !== undefined && { account }), ...(region !== undefined && { region }) },
    description: `Sandbox developer gateway (${stage}): ${what}`,
  });
  // What must survive everything: tables, secret, people.
  const data = new DataStack(app, `${name}-data`, stackProps('tables, people and the secret of key tags'));
  // The addresses, which outlive the code.
  const front = new FrontStack(app, `${name}-front`, stackProps('the address of the gateway'));
  const { address } = front;
  const portalFront = hasPortal(settings)
    ? new PortalFrontStack(app, `${name}-front-portal`, {
        ...stackProps('the address of the portal'),
        gatewayOrigin: address.url,
      })
    : undefined;
  const gatewayStack = new GatewayStack(app, name, {
    ...stackProps('the gateway'),
    data,
    address,
    portal: portalFront,
  });
  const { gateway } = gatewayStack;
  const edge = addEdge(app, settings, tags);
  warnOfGaps(gatewayStack, settings);
  const portal =
    portalFront &&
    new PortalStack(app, portalStackNameOf(stage), {
      ...stackProps('the developer portal'),
      data,
      front: portalFront,
      gateway,
      pagesDirectory,
    });
  // The portal's page calls the gateway.
  portal?.addStackDependency(gatewayStack);
  const notices =
    portalFront &&
    new NoticesStack(app, noticesStackNameOf(stage), {
      ...stackProps('what tells people and endpoints of changes'),
      data,
      portalOrigin: portalFront.origin,
      gateway,
    });
  // The mails of the notices link to the portal.
  if (portal) notices?.addStackDependency(portal);
  return { app, data, front, portalFront, gateway: gatewayStack, edge, portal, notices };
}

function addEdge(app: App, settings: StageSettings, tags: Record<string, string>): EdgeStack | undefined {
  const {
    stage,
    production,
    account,
    region: gatewayRegion,
    domainName,
    edgeCertificateArn: certificateArn,
  } = settings;
  const { edgeOriginDomainName: originDomainName, edgeClientCertificateArn: clientCertificateArn } = settings;
  if (gatewayRegion === undefined || domainName === undefined || certificateArn === undefined) return undefined;
  if (originDomainName === undefined || clientCertificateArn === undefined) return undefined;
  return new EdgeStack(app, `${stackNameOf(stage)}-edge-${gatewayRegion}`, {
    ...stagePropsOf(settings),
    gatewayRegion,
    domainName,
    certificateArn,
    originDomainName,
    clientCertificateArn,
    addressRequestsPerMinute: settings.edgeAddressRequestsPerMinute,
    alarmEmail: settings.alarmEmail,
    env: { ...(account !== undefined && { account }), region: EDGE_REGION },
    terminationProtection: production,
    tags,
    description: `Sandbox developer gateway (${stage}): what refuses floods before they reach the API`,
  });
}

/** Warns of settings that a stage has not, and would miss too late: most of them in production only. */
function warnOfGaps(stack: GatewayStack, settings: StageSettings): void {
  const warn = (setting: string, message: string): void => {
    Annotations.of(stack).addWarningV2(`sandbox-gateway:${setting}`, message);
  };
  if (hasPortal(settings) && settings.selfSignUp === 'open' && settings.signInEmailFrom === undefined) {
    warn(
      'signInEmailFrom',
      'No signInEmailFrom with selfSignUp=open: from the 51st mail of a day on nobody can sign up.',
    );
  }
  if (!settings.production) return;
  if (settings.account === undefined) {
    warn('account', 'No account and region: a wrong profile makes a second stage elsewhere.');
  }
  if (settings.alarmEmail === undefined) warn('alarmEmail', 'No alarmEmail: subscribe someone to the topic.');
  if (settings.runbookUrl === OWN_RUNBOOK) warn('runbookUrl', 'No runbookUrl: the alarms cannot link to the runbook.');
  if (settings.concurrencyQuota === NEW_ACCOUNT) {
    warn('concurrencyQuota', 'No concurrencyQuota: nothing is reserved, and notices are sent two at a time.');
  }
  // An alarm reads only metrics of its own region.
  if (hasPortal(settings) && settings.region !== EDGE_REGION && settings.probe === 'off') {
    warn('probe', `No probe: outside ${EDGE_REGION} nobody is told when the portal’s CloudFront fails.`);
  }
  if (settings.replicaRegion !== undefined && settings.restoredUsageTable !== undefined) {
    warn('replicaRegion', 'replicaRegion copies the tables from before the restore: give the restored ones a replica.');
  }
}

/** The concurrent executions of a new account. */
const NEW_ACCOUNT = 10;
