/** Validates the resources of `workerData`, and posts the findings of each (findings.ts). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { App, CloudFormationValidatePlugin } from 'aws-cdk-lib/core';
import type { Judged } from './findings.ts';

/** Rules about a whole template: these resources are of many. */
const OF_TEMPLATES: ReadonlySet<string> = new Set(['F0007', 'E3019']);
/** A number as text, or the other way round: CloudFormation accepts both. */
const COERCED = 'W9003';

const resources = workerData as readonly Judged[];
const named = resources.map(({ type: Type, properties: Properties }, i) => [`R${i}`, { Type, Properties }]);
const directory = mkdtempSync(join(tmpdir(), 'template-'));
const templatePath = join(directory, 'template.json');
try {
  writeFileSync(templatePath, JSON.stringify({ Resources: Object.fromEntries(named) as object }));
  const stackTemplates = [{ templatePath, stackConstructPath: 'Stack', accountId: undefined, region: undefined }];
  const appConstruct = new App({ builtinCloudFormationValidation: false });
  const plugin = new CloudFormationValidatePlugin();
  const { violations } = plugin.validate({ templatePaths: [templatePath], stackTemplates, appConstruct });
  const found = resources.map((): string[] => []);
  for (const { ruleName, description, violatingResources } of violations) {
    if (OF_TEMPLATES.has(ruleName) || ruleName === COERCED) continue;
    for (const { resourceLogicalId = '', locations } of violatingResources) {
      found[Number(resourceLogicalId.slice(1))]?.push(`${ruleName} ${locations.join(', ')}: ${description}`);
    }
  }
  parentPort?.postMessage(found);
} finally {
  rmSync(directory, { recursive: true });
}
