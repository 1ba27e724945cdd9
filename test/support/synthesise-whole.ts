/**
 * Runs the CDK app of `cdk synth` once for each context, in one process, so that the CDK's rules load only once: `node
 * synthesise-whole.ts '{"<directory of the output>": {<context>}}'`. The CDK synthesises each when the process ends,
 * with bundles and all rules; a violation causes an exit status other than 0.
 */
import { readFileSync } from 'node:fs';

const { context: flags } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };
const contexts = JSON.parse(process.argv[2] ?? '{}') as Record<string, Record<string, string>>;

for (const [directory, context] of Object.entries(contexts)) {
  // The CDK's command line passes them to an app in this form.
  process.env.CDK_OUTDIR = directory;
  process.env.CDK_CONTEXT_JSON = JSON.stringify({ ...flags, ...context });
  await import(`../../bin/cdk-app.ts?${encodeURIComponent(directory)}`);
}
