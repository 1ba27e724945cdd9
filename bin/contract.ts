/**
 * `npm run generate`: writes the modules through which the portal knows the gateway's contract. With `--check`, as
 * `npm run check` has it, only says whether they are those of the contract.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../lib/bundling.ts';
import { gatewayModules } from '../lib/portal/gateway-contract.ts';

const isChecking = process.argv.includes('--check');

for (const [path, text] of await gatewayModules()) {
  const file = join(ROOT, path);
  if (!isChecking) {
    await writeFile(file, text);
  } else if ((await readFile(file, 'utf8')) !== text) {
    process.stderr.write(`${path} is not of openapi.yaml. Run: npm run generate\n`);
    process.exitCode = 1;
  }
}
