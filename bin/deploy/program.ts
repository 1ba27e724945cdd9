import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { PORTAL_STACK_OUTPUTS } from '../../functions/wiring.ts';
import { PAGE, servedAs, type AppFiles } from '../../lib/portal/app-files.ts';
import { nextStep, reason } from '../admin/errors.ts';
import type { Shell } from '../admin/shell.ts';
import type { Cdk } from './cdk.ts';
import { deployerOf, type Deployer } from './deployer.ts';
import { readOptions, type DeployOptions } from './options.ts';
import { regionOf, requireSignedIn } from './readiness.ts';
import { deployStacks } from './stacks.ts';

/** The dependencies of a deployment. */
export interface Tools {
  readonly cdk: Cdk;
  /** Builds the portal's app. */
  readonly app: () => Promise<AppFiles>;
}

/** Outputs by the name of their stack, as the CDK writes them. */
type StackOutputs = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** `npm run deploy`. Leaves the exit status, that of the CDK or 1, in the shell. */
export async function runDeploy(args: readonly string[], shell: Shell, tools: Tools): Promise<void> {
  const options = readOptions(args);
  if (options.help) {
    shell.exitCode = await tools.cdk(['deploy', '--help']);
    return;
  }
  try {
    const region = await regionOf(options.context);
    const deployer = deployerOf({ ...options, region });
    const unknown = await requireSignedIn(deployer);
    if (unknown !== undefined) shell.stderr.write(`${unknown}\n`);
    await deploy(args, options, { deployer, canAsk: unknown === undefined }, shell, tools);
  } catch (error) {
    shell.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    shell.exitCode = 1;
  }
}

async function deploy(
  args: readonly string[],
  options: DeployOptions,
  { deployer, canAsk }: { readonly deployer: Deployer; readonly canAsk: boolean },
  shell: Shell,
  { cdk, app }: Tools,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'deploy-'));
  try {
    // Built first, so that a build error stops the deployment before any change.
    const files = await app();
    const outputsFile = join(directory, 'outputs.json');
    const run: Cdk = (more) => cdk(['deploy', '--all', ...more, '--outputs-file', outputsFile, ...args]);
    shell.exitCode =
      canAsk && options.isDeployment
        ? await deployStacks(options, { directory, deployer, cdk, run }, shell)
        : await run([]);
    // The stacks first, because the new page may need the new function. No file: nothing was deployed.
    if (shell.exitCode === 0 && existsSync(outputsFile)) {
      await publish(deployer, files, JSON.parse(await readFile(outputsFile, 'utf8')) as StackOutputs, shell);
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function publish(deployer: Deployer, files: AppFiles, stacks: StackOutputs, shell: Shell): Promise<void> {
  for (const outputs of Object.values(stacks)) {
    const bucket = outputs[PORTAL_STACK_OUTPUTS.filesBucket];
    const region = outputs[PORTAL_STACK_OUTPUTS.region];
    if (bucket === undefined || region === undefined) continue;
    try {
      await publishApp(files, { bucket, region, deployer });
    } catch (error) {
      const what = `The stacks are deployed, but the portal's app was not put into place (${reason(error)}).`;
      throw new Error(`${what}${nextStep(error, deployer.profile)} Run this again.`, { cause: error });
    }
    shell.stdout.write(`The portal's app is at ${outputs[PORTAL_STACK_OUTPUTS.url]}\n`);
  }
}

/** The destination of a portal's files. */
interface Destination {
  readonly bucket: string;
  readonly region: string;
  readonly deployer: Deployer;
}

/**
 * Uploads an app: first the files with a hash in their names, in addition to those of earlier versions, which open
 * pages still use; then the page, which names them. If a file fails, it rejects, and the old page stays. Repeated and
 * parallel uploads are safe: each name has only one content. The files for programs keep their names: the last upload
 * decides.
 */
async function publishApp(files: AppFiles, { bucket, region, deployer }: Destination): Promise<void> {
  const client = new S3Client({ ...deployer, region });
  const put = async ([path, Body]: readonly [string, Buffer]): Promise<void> => {
    const { type, caching } = servedAs(path);
    const object = { Bucket: bucket, Key: path.slice(1), Body, ContentType: type, CacheControl: caching };
    await client.send(new PutObjectCommand(object));
  };
  const isPage = ([path]: readonly [string, Buffer]): boolean => path === PAGE;
  try {
    await Promise.all([...files].filter((file) => !isPage(file)).map(put));
    await Promise.all([...files].filter(isPage).map(put));
  } finally {
    client.destroy();
  }
}
