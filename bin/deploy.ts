/** `npm run deploy`: deploys the stacks of a stage, and then the app of its portal, where it has one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PORTAL_STACK_OUTPUTS } from '../functions/wiring.ts';
import { buildApp } from '../lib/portal/app-build.ts';
import { readApp, type AppFiles } from '../lib/portal/app-files.ts';
import { nextStep, reason } from './admin/errors.ts';
import { deployerOf, type Deployer } from './deploy/deployer.ts';
import { publishApp } from './deploy/publish.ts';
import { requireSignedIn } from './deploy/readiness.ts';

/** Outputs by the name of their stack, as the CDK writes them. */
type StackOutputs = Readonly<Record<string, Readonly<Record<string, string>>>>;

const args = process.argv.slice(2);
const { values } = parseArgs({
  args,
  strict: false,
  options: {
    profile: { type: 'string' },
    proxy: { type: 'string' },
    context: { type: 'string', short: 'c', multiple: true },
    help: { type: 'boolean', short: 'h' },
  },
});
// An option of which the value is forgotten is the CDK's to refuse.
const isText = (value: unknown): value is string => typeof value === 'string';
const textOf = (value: unknown): string | undefined => (isText(value) ? value : undefined);
if (values.help === true) process.exitCode = await cdk(['deploy', '--help']);
else {
  try {
    const deployer = deployerOf({ profile: textOf(values.profile), proxy: textOf(values.proxy) });
    const unknown = await requireSignedIn(deployer, (values.context ?? []).filter(isText));
    if (unknown !== undefined) process.stderr.write(`${unknown}\n`);
    await deploy(deployer);
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

async function deploy(deployer: Deployer): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'deploy-'));
  try {
    // Built first: an app that cannot be built is found out before anything is deployed.
    const files = await readApp(await buildApp());
    const outputsFile = join(directory, 'outputs.json');
    process.exitCode = await cdk(['deploy', '--all', '--outputs-file', outputsFile, ...args]);
    // The stacks first: the new page may ask for what only the new function answers. No file: nothing was deployed.
    if (process.exitCode === 0 && existsSync(outputsFile)) {
      await publish(deployer, files, JSON.parse(await readFile(outputsFile, 'utf8')) as StackOutputs);
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function publish(deployer: Deployer, files: AppFiles, stacks: StackOutputs): Promise<void> {
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
    process.stdout.write(`The portal's app is at ${outputs[PORTAL_STACK_OUTPUTS.url]}\n`);
  }
}

/** Runs the CDK's own CLI and answers with its exit status; Ctrl-C reaches it as well. */
async function cdk(args: readonly string[]): Promise<number> {
  process.on('SIGINT', () => undefined);
  const child = spawn('cdk', args, { stdio: 'inherit' });
  const [status] = (await once(child, 'exit')) as [number | null];
  return status ?? 1;
}
