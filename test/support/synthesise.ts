/** Synthesises the app once for each context, in its own thread, and posts the templates. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { gatewayApp } from '../../lib/gateway-app.ts';

/** The feature flags of `cdk.json`: without them the templates would differ from the deployed ones. */
const { context: flags } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };
/** Leaves out the slow steps that do not affect the templates: the bundles and the CDK's own rules. */
const NO_BUNDLES = { 'aws:cdk:bundling-stacks': [] };
const contexts = workerData as Record<string, Record<string, unknown>>;
/** In place of the built pages. */
const pagesDirectory = mkdtempSync(join(tmpdir(), 'pages-'));

const templates = Object.entries(contexts).map(([name, context]) => {
  const { app, ...parts } = gatewayApp({
    pagesDirectory,
    builtinCloudFormationValidation: false,
    context: { ...flags, ...context, ...NO_BUNDLES },
  });
  const assembly = app.synth();
  const stacks = Object.entries(parts).flatMap(([part, stack]) =>
    stack ? [[part, stack, assembly.getStackArtifact(stack.artifactId)] as const] : [],
  );
  const of = <T>(value: (each: (typeof stacks)[number]) => T) =>
    Object.fromEntries(stacks.map((each) => [each[0], value(each)]));
  const inOrder = assembly.stacks.map(({ id }) => stacks.find(([, , artifact]) => artifact.id === id)?.[0]);
  return [
    name,
    {
      ...Object.fromEntries(Object.keys(parts).map((part) => [part, { Resources: {} }])),
      ...of(([, , { template }]) => template as object),
      parts: inOrder,
      isProtected: of(([, stack]) => stack.terminationProtection),
      names: of(([, , { stackName }]) => stackName),
      tags: of(([, , { tags }]) => tags),
      places: of(([, , { environment }]) => environment.name),
      warnings: stacks.flatMap(([, , { messages }]) =>
        messages.map(({ entry: { data: text } }) => /\[ack: sandbox-gateway:(\w+)\]/.exec(text as string)?.[1]),
      ),
    },
  ] as const;
});
rmSync(pagesDirectory, { recursive: true });
parentPort?.postMessage(Object.fromEntries(templates));
