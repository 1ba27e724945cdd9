/** Synthesises the app once for each of the contexts on stdin, and prints the templates: a test's own process. */
import { readFileSync } from 'node:fs';
import { gatewayApp } from '../../lib/gateway-app.ts';

/** The feature flags of `cdk.json`: without them the tests would look at another template than the one deployed. */
const { context: flags } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };
/** What takes most of the time and has nothing to do with the templates: the bundles, and the CDK's own rules. */
const QUICKLY = { 'aws:cdk:bundling-stacks': [], '@aws-cdk/core:validateAgainstDefaultRules': false };
const contexts = JSON.parse(readFileSync(0, 'utf8')) as Record<string, Record<string, unknown>>;

const templates = Object.entries(contexts).map(([name, context]) => {
  const { app, data, gateway } = gatewayApp({ context: { ...flags, ...context, ...QUICKLY } });
  const assembly = app.synth();
  const [dataTemplate, gatewayTemplate] = [data, gateway].map(
    ({ artifactId }) => assembly.getStackArtifact(artifactId).template as object,
  );
  return [
    name,
    { data: dataTemplate, gateway: gatewayTemplate, dataStackProtected: data.terminationProtection },
  ] as const;
});
process.stdout.write(JSON.stringify(Object.fromEntries(templates)));
