/**
 * Runs CDK apps in one process, so that the CDK's rules load only once: `node synthesise-whole.ts '{"<directory of the
 * output>": {"app": "<file>", "context": {}}}'`. The CDK synthesises each when the process ends, with bundles and all
 * rules; a violation causes an exit status other than 0. An app that ends before that with a status is told on stdout.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const { context: flags } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };
const apps = JSON.parse(process.argv[2] ?? '{}') as Record<string, { app: string; context: Record<string, string> }>;

for (const [directory, { app, context }] of Object.entries(apps)) {
  // The CDK's command line passes them to an app in this form.
  process.env.CDK_OUTDIR = directory;
  process.env.CDK_CONTEXT_JSON = JSON.stringify({ ...flags, ...context });
  await import(`${pathToFileURL(app).href}?${encodeURIComponent(directory)}`);
  if (process.exitCode !== undefined) process.stdout.write(`${directory} ended with ${process.exitCode}\n`);
  process.exitCode = undefined;
}
