import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { meteredChain } from '../../functions/gateway/metered-chain.ts';
import type { dynamoDbRequestStore } from '../../functions/gateway/ledger/dynamodb-request-store.ts';
import type { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import type { verifyLedger } from '../../functions/usage/checks/verification.ts';
import type { OPERATIONS } from '../../functions/gateway/operations/index.ts';
import { ROOT } from './processes.ts';

/** The last release: a deployed stage runs it beside this code while it is updated. A release names its own commit here. */
const RELEASED = '61a5b0ed3fafabceb6c04723aa3bf3fcdf413014';

/** What the tests run of it. The types are those of this code, which the version before must fit. */
interface VersionBefore {
  readonly meteredChain: typeof meteredChain;
  readonly dynamoDbRequestStore: typeof dynamoDbRequestStore;
  readonly rotateKey: typeof rotateKey;
  readonly verifyLedger: typeof verifyLedger;
  readonly OPERATIONS: typeof OPERATIONS;
}

const ENTRY = `
export { meteredChain } from './functions/gateway/metered-chain.ts';
export { dynamoDbRequestStore } from './functions/gateway/ledger/dynamodb-request-store.ts';
export { rotateKey } from './functions/accounts/keys/key-rotation.ts';
export { verifyLedger } from './functions/usage/checks/verification.ts';
export { OPERATIONS } from './functions/gateway/operations/index.ts';
`;

/** The code of the version before, built once from its commit. Throws, and says what to do, in a clone without it. */
export async function versionBefore(): Promise<VersionBefore> {
  // Below node_modules, where its packages are found.
  const directory = join(ROOT, 'node_modules/.cache/version-before', RELEASED);
  const outfile = join(directory, 'before.mjs');
  if (!existsSync(outfile)) {
    mkdirSync(directory, { recursive: true });
    execFileSync('tar', ['-x', '-C', directory], { input: archive() });
    writeFileSync(join(directory, 'entry.ts'), ENTRY);
    // Two workers may build it at once, and none may read half of it.
    const made = `${outfile}.${process.pid}`;
    await build({
      entryPoints: [join(directory, 'entry.ts')],
      outfile: made,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'silent',
    });
    renameSync(made, outfile);
  }
  return (await import(outfile)) as VersionBefore;
}

/** The functions of the commit. A clone without history fetches that one commit. */
function archive(): Buffer {
  const git = (...args: readonly string[]): Buffer =>
    execFileSync('git', args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1e8 });
  const read = (): Buffer => git('archive', RELEASED, 'functions');
  try {
    return read();
  } catch {
    try {
      git('fetch', '--quiet', '--depth=1', 'origin', RELEASED);
      return read();
    } catch (cause) {
      throw new Error(`This clone has no commit ${RELEASED}: git fetch --unshallow`, { cause });
    }
  }
}
