/**
 * `npm run schemas -- <folder>`: stores CloudFormation's schemas of the types in the templates, from a folder with
 * cfn-lint (docs/contributing.md, "What CloudFormation allows"), and deletes those of other types. If a type has no
 * schema there, it changes nothing and exits with status 1.
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { resourceTypes, STAGES, synthesise } from '../stack.ts';
import { publishedSchemas } from './published.ts';
import { fileOf, SCHEMAS } from './schemas.ts';

const [folder] = process.argv.slice(2);
try {
  if (folder === undefined) throw new Error('Say where cfn-lint is: npm run schemas -- <folder>');
  const schemas = publishedSchemas(folder, resourceTypes(await synthesise(STAGES)));
  for (const file of readdirSync(SCHEMAS)) rmSync(new URL(file, SCHEMAS));
  for (const [type, text] of schemas) writeFileSync(new URL(fileOf(type), SCHEMAS), text);
  process.stdout.write(`${schemas.size} schemas are kept. See what changed with git diff.\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
