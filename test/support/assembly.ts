import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A stack, as if the CDK had synthesised it. */
export interface PlayedStack {
  readonly resources?: Readonly<Record<string, object>>;
  readonly isProtected?: boolean;
  readonly region?: string;
}

/** The alias of a function, at a version with this logical id. */
export const aliasAt = (versionId: string, more: object = {}) => ({
  Type: 'AWS::Lambda::Alias',
  Properties: { Name: 'live', FunctionVersion: { 'Fn::GetAtt': [versionId, 'Version'] }, ...more },
});

/** Writes stacks into a folder, as `cdk synth --output` does. */
export function writeAssembly(directory: string, stacks: Readonly<Record<string, PlayedStack>>): void {
  mkdirSync(directory, { recursive: true });
  const artifacts = Object.entries(stacks).map(([name, { resources = {}, isProtected = false, region }]) => {
    const templateFile = `${name}.template.json`;
    writeFileSync(join(directory, templateFile), JSON.stringify({ Resources: resources }));
    const environment = `aws://unknown-account/${region ?? 'unknown-region'}`;
    const properties = { templateFile, terminationProtection: isProtected };
    return [name, { type: 'aws:cloudformation:stack', environment, properties }];
  });
  const assets = ['Assets', { type: 'cdk:asset-manifest', properties: { file: 'assets.json' } }];
  const manifest = { version: '48.0.0', artifacts: Object.fromEntries([assets, ...artifacts]) as object };
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifest));
}
