/** Synthesises the app once for each of the contexts that it is given, and posts the templates: a thread of its own. */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { gatewayApp } from '../../lib/gateway-app.ts';

/** The feature flags of `cdk.json`: without them the tests would look at another template than the one deployed. */
const { context: flags } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };
/** What takes most of the time and has nothing to do with the templates: the bundles, and the CDK's own rules. */
const QUICKLY = { 'aws:cdk:bundling-stacks': [], '@aws-cdk/core:validateAgainstDefaultRules': false };
const contexts = workerData as Record<string, Record<string, unknown>>;

const templates = Object.entries(contexts).map(([name, context]) => {
  const { app, data, gateway, portal } = gatewayApp({ context: { ...flags, ...context, ...QUICKLY } });
  const assembly = app.synth();
  const [dataTemplate, gatewayTemplate, portalTemplate] = [data, gateway, portal].map(
    (stack) => stack && (assembly.getStackArtifact(stack.artifactId).template as object),
  );
  const templates = { data: dataTemplate, gateway: gatewayTemplate, ...(portal && { portal: portalTemplate }) };
  return [name, { ...templates, dataStackProtected: data.terminationProtection }] as const;
});
parentPort?.postMessage(Object.fromEntries(templates));
