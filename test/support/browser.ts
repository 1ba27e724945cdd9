import { describe } from '@jest/globals';
import { findBrowser } from './chromium.ts';

/** Tests in a browser. Without a browser they are skipped with a message, and in CI they fail. */
export function describeInBrowser(name: string, tests: (executablePath: string) => void): void {
  const executable = findBrowser();
  if (executable === undefined) {
    const advice = 'install chromium, or set CHROMIUM_PATH.';
    if (process.env.CI) throw new Error(`No browser: ${advice}`);
    process.stderr.write(`Not tested in a browser: ${advice}\n`);
    describe.skip(name, () => tests(''));
    return;
  }
  describe(name, () => tests(executable));
}
