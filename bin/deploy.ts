/** `npm run deploy`: deploys the stacks of a stage, and then the app of its portal, where it has one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PORTAL_STACK_OUTPUTS } from '../functions/wiring.ts';
import { buildApp } from '../lib/portal/app-build.ts';
import { readApp, type AppFiles } from '../lib/portal/app-files.ts';
import { publishApp } from './deploy/publish.ts';

/** Outputs by the name of their stack, as the CDK writes them. */
type StackOutputs = Readonly<Record<string, Readonly<Record<string, string>>>>;

const directory = await mkdtemp(join(tmpdir(), 'deploy-'));
try {
  // Built first: an app that cannot be built is found out before anything is deployed.
  const files = await readApp(await buildApp());
  const outputsFile = join(directory, 'outputs.json');
  const status = await cdk(['deploy', '--all', '--outputs-file', outputsFile, ...process.argv.slice(2)]);
  process.exitCode = status;
  // The stacks first: the new page may ask for what only the new function answers.
  if (status === 0) await publish(files, JSON.parse(await readFile(outputsFile, 'utf8')) as StackOutputs);
} catch (error) {
  process.stderr.write(`The portal's app was not put into place: ${String(error)}\nRun this again.\n`);
  process.exitCode = 1;
} finally {
  await rm(directory, { recursive: true });
}

async function publish(files: AppFiles, stacks: StackOutputs): Promise<void> {
  for (const outputs of Object.values(stacks)) {
    const bucket = outputs[PORTAL_STACK_OUTPUTS.filesBucket];
    const region = outputs[PORTAL_STACK_OUTPUTS.region];
    if (bucket === undefined || region === undefined) continue;
    await publishApp(files, { bucket, region });
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
