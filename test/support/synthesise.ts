/** Synthesises the app once for each context, in its own thread, and posts the templates. */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { gatewayApp } from '../../lib/gateway-app.ts';

/** The feature flags of `cdk.json`: without them the templates would differ from the deployed ones. */
const { context: flags } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };
/** Leaves out the slow steps that do not affect the templates: the bundles and the CDK's own rules. */
const NO_BUNDLES = { 'aws:cdk:bundling-stacks': [] };
const contexts = workerData as Record<string, Record<string, unknown>>;

const templates = Object.entries(contexts).map(([name, context]) => {
  const { app, data, gateway, portal, notices, edge } = gatewayApp({
    builtinCloudFormationValidation: false,
    context: { ...flags, ...context, ...NO_BUNDLES },
  });
  const assembly = app.synth();
  const stacks = Object.entries({ data, gateway, portal, notices, edge }).flatMap(([name, stack]) =>
    stack ? [[name, assembly.getStackArtifact(stack.artifactId)] as const] : [],
  );
  const templates = Object.fromEntries(stacks.map(([name, { template }]) => [name, template as object]));
  return [
    name,
    {
      ...templates,
      isProtected: {
        ...{ data: data.terminationProtection, gateway: gateway.terminationProtection },
        ...(portal && { portal: portal.terminationProtection }),
        edge: edge?.terminationProtection,
      },
      names: stacks.map(([, { stackName }]) => stackName),
      places: stacks.map(([, { environment }]) => environment.name),
      warnings: stacks.flatMap(([, { messages }]) =>
        messages.map(({ entry: { data: text } }) => /\[ack: sandbox-gateway:(\w+)\]/.exec(text as string)?.[1]),
      ),
    },
  ] as const;
});
parentPort?.postMessage(Object.fromEntries(templates));
