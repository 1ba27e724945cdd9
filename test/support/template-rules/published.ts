import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where cfn-lint says which of its schemas are those of us-east-1, where AWS's services have everything first. */
const LIST = /^(.*[/\\])?providers[/\\]us_east_1\.py$/;

/**
 * CloudFormation's schemas of some types, as cfn-lint has them anywhere below a folder. Throws where it is not there, and
 * where a type has no schema in it, with the names of these types.
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
