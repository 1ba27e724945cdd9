import { join } from 'node:path';
import { Duration, RemovalPolicy, Validations, AssetHashType, DockerImage } from 'aws-cdk-lib';
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  Function,
  LoggingFormat,
  Runtime,
  Tracing,
  Code,
  type IVersion,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import {
  ENVIRONMENT,
  type FunctionName,
  type NoticesFunctionName,
  type PortalFunctionName,
} from '../functions/wiring.ts';
import type { StageSettings } from './settings.ts';
import { ROOT } from './bundling.ts';
import { bundleFunction } from './function-bundle.ts';

/** A request's own deadline is 4 s. This timeout bounds the rest, such as a start. */
const REQUEST_TIMEOUT = Duration.seconds(10);
const MEMORY_MB = 512;

const CODEDEPLOY_POLICY = 'AWSCodeDeployRoleForLambdaLimited';

export interface GatewayFunctionProps {
  /** The name in `functions/<name>/handler.ts`. */
  readonly name: FunctionName | PortalFunctionName | NoticesFunctionName;
  readonly settings: StageSettings;
  /** In addition to the variables of every function: stage and origins. */
  readonly environment?: Record<string, string>;
  /** Execution environments that are kept warm; default: none. */
  readonly provisionedConcurrency?: number;
  /** Reserved concurrency, which is also the bound; default: none. */
  readonly reservedConcurrency?: number;
  /** Default: that of a request. */
  readonly timeout?: Duration;
}

/**
 * One of the Lambda functions, bundled as a single ES module, with its own role and log group. The API calls the alias
 * `live`. It moves to a new version step by step, and moves back when an alarm of `deployment` goes off.
 */
export class GatewayFunction extends Construct {
  readonly role: Role;
  readonly logGroup: ILogGroup;
  readonly function: Function;
  readonly live: Alias;
  readonly deployment: LambdaDeploymentGroup;

  constructor(scope: Construct, id: string, props: GatewayFunctionProps) {
    super(scope, id);
    const { name, settings, environment, provisionedConcurrency = 0, reservedConcurrency = 0 } = props;
    const { timeout = REQUEST_TIMEOUT } = props;
    const note = settings.replaceInstances === undefined ? '' : ` (${settings.replaceInstances})`;
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: settings.logRetentionDays,
      removalPolicy: settings.stage === 'dev' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.logGroup.grantWrite(this.role);

    this.function = new Function(this, 'Function', {
      description: `Sandbox developer gateway, ${settings.stage}: ${name}${note}`,
      code: functionCode(name),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: MEMORY_MB,
      timeout,
      ...(reservedConcurrency > 0 && { reservedConcurrentExecutions: reservedConcurrency }),
      role: this.role,
      tracing: Tracing.ACTIVE,
      logGroup: this.logGroup,
      loggingFormat: LoggingFormat.JSON,
      environment: {
        [ENVIRONMENT.stage]: settings.stage,
        [ENVIRONMENT.portalOrigin]: settings.portalOrigin ?? '',
        [ENVIRONMENT.localDevOrigin]: settings.localDevOrigin ?? '',
        ...environment,
      },
      // A deployment removes the previous version from the template, but not from Lambda: going back needs no build.
      // The version of a failed deployment is deleted. Otherwise `rollback` would choose it, and Lambda would not
      // publish the same code again.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
    });
    Validations.of(this.role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray knows no resources: its two write actions can be granted on * only.',
    });

    this.live = new Alias(this, 'Live', {
      aliasName: 'live',
      version: this.function.currentVersion as IVersion,
      ...(provisionedConcurrency > 0 && { provisionedConcurrentExecutions: provisionedConcurrency }),
    });
    this.deployment = new LambdaDeploymentGroup(this, 'Deployment', {
      alias: this.live,
      // A tenth of the requests goes to a new version for ten minutes: twice the time of the slowest alarm.
      deploymentConfig:
        settings.deployment === 'canary'
          ? LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES
          : LambdaDeploymentConfig.ALL_AT_ONCE,
    });
    Validations.of(this.deployment).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/${CODEDEPLOY_POLICY}]`,
      reason: 'The policy that AWS keeps for this very purpose: it moves aliases, and reads or writes no data.',
    });
  }
}

/** The code of one of `functions/<name>/handler.ts`: a single ES module, bundled when the stack is synthesised. */
const functionCode = (name: string): Code =>
  Code.fromAsset(join(ROOT, 'functions', name), {
    // The deployed bytes decide whether there is a new version, not the sources.
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Never used: the local bundling always succeeds or throws.
      image: DockerImage.fromRegistry('none'),
      local: {
        tryBundle(directory) {
          bundleFunction(name, directory);
          return true;
        },
      },
    },
  });
