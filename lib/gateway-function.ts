import { fileURLToPath } from 'node:url';
import { Duration } from 'aws-cdk-lib';
import { Architecture, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { Construct } from 'constructs';
import type { FunctionName } from '../functions/contract.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** A request's own deadline is 4 s; this bounds what that cannot, such as a start. */
const TIMEOUT = Duration.seconds(10);
const MEMORY_MB = 512;

/** Parts of the SDK that find credentials elsewhere. Lambda passes them in the environment, so they never load. */
const UNUSED_CREDENTIAL_PROVIDERS = [
  ...['sso', 'ini', 'process', 'web-identity', 'http'].map((kind) => `@aws-sdk/credential-provider-${kind}`),
  '@smithy/credential-provider-imds',
];

export interface GatewayFunctionProps {
  /** Which of `functions/<name>/handler.ts`. */
  readonly name: FunctionName;
  readonly environment: Record<string, string>;
}

/** One of the two Lambda functions, bundled as a single ES module. */
export class GatewayFunction extends NodejsFunction {
  constructor(scope: Construct, id: string, { name, environment }: GatewayFunctionProps) {
    super(scope, id, {
      entry: `${ROOT}functions/${name}/handler.ts`,
      projectRoot: ROOT,
      depsLockFilePath: `${ROOT}package-lock.json`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: MEMORY_MB,
      timeout: TIMEOUT,
      loggingFormat: LoggingFormat.JSON,
      environment,
      // Connections are kept open by the SDK itself; the construct's own variable is for SDK 2.
      awsSdkConnectionReuse: false,
      bundling: {
        format: OutputFormat.ESM,
        target: 'node24',
        mainFields: ['module', 'main'],
        minify: true,
        // The SDK of the runtime is larger and slower to load than the parts that are used.
        externalModules: UNUSED_CREDENTIAL_PROVIDERS,
      },
    });
  }
}
