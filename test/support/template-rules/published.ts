import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ResourceSchema } from './schemas.ts';

/** Where cfn-lint lists which of its schemas are those of this region; services come there first. */
const LIST_OF_CFN_LINT = /providers[/\\]us_east_1\.py$/;

/**
 * CloudFormation's schemas of some types, as text to be kept, from a folder that has them anywhere below it in files of
 * their own: cfn-lint's, or AWS's archive. Descriptions are left out, and what only AWS itself needs. Throws, naming the
 * types, where one has no schema there or several.
 */
export function publishedSchemas(folder: string, types: ReadonlySet<string>): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const listed = listedBy(folder, files);
  const found = new Map<string, string>();
  const several = new Set<string>();
  for (const file of files) {
    if (!file.endsWith('.json') || listed?.has(basename(file, '.json')) === false) continue;
    const schema = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Partial<ResourceSchema>;
    if (schema.typeName === undefined || !types.has(schema.typeName)) continue;
    if (found.has(schema.typeName)) several.add(schema.typeName);
    found.set(schema.typeName, `${JSON.stringify(schema, kept, 1)}\n`);
  }
  const missing = [...types].filter((type) => !found.has(type));
  if (missing.length > 0) throw new Error(`${folder} has no schema of ${missing.sort().join(', ')}.`);
  if (several.size > 0) throw new Error(`${folder} has several schemas of ${[...several].sort().join(', ')}.`);
  return found;
}

/** The names of the files that cfn-lint lists; undefined where the folder is not of cfn-lint. */
function listedBy(folder: string, files: readonly string[]): Set<string> | undefined {
  const list = files.find((file) => LIST_OF_CFN_LINT.test(file));
  if (list === undefined) return undefined;
  const text = readFileSync(join(folder, list), 'utf8');
  return new Set(Array.from(text.matchAll(/"AWS::[\w:]+": "(\w+)"/g), ([, name]) => name ?? ''));
}

/** Without text for people, and without the permissions that AWS's own programs need. */
const kept = (key: string, value: unknown): unknown =>
  key === 'handlers' || (key === 'description' && typeof value === 'string') ? undefined : value;
