import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** cfn-lint's list of its schemas for us-east-1, the region where AWS services have everything first. */
const LIST = /^(.*[/\\])?providers[/\\]us_east_1\.py$/;

/**
 * CloudFormation's schemas of some types, from cfn-lint anywhere below a folder. Throws if it is not there, or if types
 * have no schema in it, with their names.
 */
export function publishedSchemas(folder: string, types: ReadonlySet<string>): Map<string, string> {
  const list = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((file) => LIST.test(file));
  if (list === undefined) throw new Error(`${folder} has no cfn-lint: there is no providers/us_east_1.py in it.`);
  const entries = readFileSync(join(folder, list), 'utf8').matchAll(/"(AWS::[\w:]+)": "(\w+)"/g);
  const files = new Map(Array.from(entries, ([, type = '', name = '']) => [type, `${name}.json`]));
  const fileOf = (type: string): string => join(folder, list, '../../resources', files.get(type) ?? '');
  const missing = [...types].filter((type) => !files.has(type) || !existsSync(fileOf(type)));
  if (missing.length > 0) throw new Error(`${folder} has no schema of ${missing.sort().join(', ')}.`);
  return new Map([...types].map((type) => [type, readFileSync(fileOf(type), 'utf8')]));
}
