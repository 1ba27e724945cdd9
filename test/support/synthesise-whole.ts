/**
 * Runs the CDK app of `cdk synth` once for each context, all in this process, which loads the CDK's rules but once:
 * `node synthesise-whole.ts '{"<directory of the output>": {<context>}}'`. Each is synthesised when the process ends, as
 * the CDK does it, with bundles and all rules; what breaks one is an exit status other than 0.
 */
import { readFileSync } from 'node:fs';

const { context: flags } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };
const contexts = JSON.parse(process.argv[2] ?? '{}') as Record<string, Record<string, string>>;

for (const [directory, context] of Object.entries(contexts)) {
  // How the CDK's command line tells them to an app.
  process.env.CDK_OUTDIR = directory;
  process.env.CDK_CONTEXT_JSON = JSON.stringify({ ...flags, ...context });
  await import(`../../bin/gateway.ts?${encodeURIComponent(directory)}`);
}
