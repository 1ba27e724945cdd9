import { join } from 'node:path';
import { Duration, RemovalPolicy, Validations, AssetHashType, DockerImage } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  Function,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
  Code,
  type CfnFunction,
  type IVersion,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ENVIRONMENT } from '../functions/shared/names.ts';
import { logRemovalPolicy, type StageProps } from './stage-props.ts';
import { ROOT } from './bundling.ts';
import { acknowledgeWildcard } from './wildcards.ts';
import { bundleFunction, type BundledFunction } from './function-bundle.ts';

/** A request's own deadline is 4 s. This timeout bounds the rest, such as a start. */
const REQUEST_TIMEOUT = Duration.seconds(10);
const MEMORY_MB = 512;

const CODEDEPLOY_POLICY = 'AWSCodeDeployRoleForLambdaLimited';

export interface StageFunctionProps extends StageProps {
  readonly name: BundledFunction;
  /** Default: {@link MEMORY_MB}. */
  readonly memoryMb?: number;
  /** In addition to the name of the stage, and the prefixes of its keys. */
  readonly environment?: Record<string, string>;
  /** Execution environments that are kept warm; default: none. */
  readonly provisionedConcurrency?: number;
  /** Reserved concurrency, which is also the bound; default, and 0: none. In a standby nothing may run all the same. */
  readonly reservedConcurrency?: number;
  /** Default: that of a request. */
  readonly timeout?: Duration;
}

/**
 * One of the Lambda functions, bundled as a single ES module, with its own role and log group. The API calls the alias
 * `live`. It moves to a new version step by step, and moves back when an alarm of `deployment` goes off.
 */
export class StageFunction extends Construct {
  readonly role: Role;
  readonly logGroup: ILogGroup;
  readonly function: Function;
  readonly live: Alias;
  /** What moves the alias step by step; undefined: it moves at once. */
  readonly deployment: LambdaDeploymentGroup | undefined;

  constructor(scope: Construct, id: string, props: StageFunctionProps) {
    super(scope, id);
    const { name, stage, environment, provisionedConcurrency = 0, reservedConcurrency = 0 } = props;
    const { keyPrefixes = '' } = props;
    const isTraced = props.tracing === 'on';
    const { timeout = REQUEST_TIMEOUT, production = false, logRetention = RetentionDays.ONE_WEEK } = props;
    const { standby = false } = props;
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: logRetention,
      removalPolicy: logRemovalPolicy(production),
    });
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.logGroup.grantWrite(this.role);

    this.function = new Function(this, 'Function', {
      description: `Sandbox developer gateway, ${stage}: ${name}`,
      code: functionCode(name),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memoryMb ?? MEMORY_MB,
      timeout,
      ...((standby || reservedConcurrency > 0) && {
        reservedConcurrentExecutions: standby ? 0 : reservedConcurrency,
      }),
      role: this.role,
      tracing: isTraced ? Tracing.ACTIVE : Tracing.DISABLED,
      logGroup: this.logGroup,
      loggingFormat: LoggingFormat.JSON,
      // A start and a report of each success are INFO. WARN keeps what failed: crashes, time-outs, starts (Lambda
      // developer guide, "Log-level filtering", system log level event mapping).
      systemLogLevelV2: SystemLogLevel.WARN,
      environment: {
        [ENVIRONMENT.stage]: stage,
        [ENVIRONMENT.keyPrefixes]: keyPrefixes,
        ...environment,
      },
      // A deployment removes the previous version from the template, but not from Lambda: the alias can be moved back by
      // hand. The version of a failed deployment is deleted; otherwise Lambda would not publish the same code again.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
    });
    if (isTraced) {
      acknowledgeWildcard(this.role, '*', 'X-Ray knows no resources: its two write actions can be granted on * only.');
    } else {
      // Said, and not left out: it must also end on a live function. The CDK would grant X-Ray with it.
      (this.function.node.defaultChild as CfnFunction).tracingConfig = { mode: Tracing.PASS_THROUGH };
    }

    this.live = new Alias(this, 'Live', {
      aliasName: 'live',
      version: this.function.currentVersion as IVersion,
      ...(provisionedConcurrency > 0 && { provisionedConcurrentExecutions: provisionedConcurrency }),
    });
    this.deployment = props.deployment === 'canary' ? this.#canary() : undefined;
  }

  /** Without it CloudFormation sets the alias to the version of the template, whatever it is. */
  #canary(): LambdaDeploymentGroup {
    const group = new LambdaDeploymentGroup(this, 'Deployment', {
      alias: this.live,
      // Ten minutes are twice the time of the slowest alarm.
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
    });
    Validations.of(group).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/${CODEDEPLOY_POLICY}]`,
      reason: 'The policy that AWS keeps for this very purpose: it moves aliases, and reads or writes no data.',
    });
    return group;
  }

  /** Rolls a canary back when one of the alarms goes off. */
  rollBackOn(alarms: readonly Alarm[]): void {
    for (const alarm of alarms) this.deployment?.addAlarm(alarm);
  }
}

/** The code of a function: a single ES module, bundled when the stack is synthesised. */
const functionCode = (name: BundledFunction): Code =>
  Code.fromAsset(join(ROOT, 'functions'), {
    // The deployed bytes decide whether there is a new version, not the sources.
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Never used: the local bundling always succeeds or throws.
      image: DockerImage.fromRegistry('none'),
      // The CDK makes one asset of a source with equal options, so each function has its own.
      command: [name],
      local: {
        tryBundle(directory) {
          bundleFunction(name, directory);
          return true;
        },
      },
    },
  });
