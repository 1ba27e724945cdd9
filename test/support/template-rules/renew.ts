/**
 * `npm run schemas -- <folder>`: keeps CloudFormation's schemas of the types that the templates use, from a folder with
 * cfn-lint in it (docs/contributing.md, "What CloudFormation allows"), and forgets those of other types. Exit status: 1,
 * with nothing changed, when a type has no schema there.
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
