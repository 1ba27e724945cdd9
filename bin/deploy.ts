/** `npm run deploy`: deploys the stacks of a stage, and then the app of its portal, if it has one. */
import { buildApp } from '../lib/portal/app-build.ts';
import { readApp } from '../lib/portal/app-files.ts';
import { cdk } from './deploy/cdk.ts';
import { runDeploy } from './deploy/program.ts';

await runDeploy(process.argv.slice(2), process, { cdk, app: async () => readApp(await buildApp()) });
