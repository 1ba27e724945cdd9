/** `npm run check`: runs every `check:` script of package.json in parallel, and shows the output of those that fail. */
import { execFile } from 'node:child_process';
import { styleText } from 'node:util';
import manifest from '../package.json' with { type: 'json' };

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Runs one script and reports it at its end; resolves with whether it passed. */
function check(script: string): Promise<boolean> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    execFile(process.execPath, ['--run', script], { maxBuffer: MAX_OUTPUT_BYTES }, (error, stdout, stderr) => {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(5);
      const outcome = error === null ? styleText('green', 'ok    ') : styleText('red', 'FAILED');
      process.stdout.write(`${outcome} ${seconds} s  ${script}\n${error === null ? '' : `${stdout}${stderr}\n`}`);
      resolve(error === null);
    });
  });
}

const scripts = Object.keys(manifest.scripts).filter((name) => name.startsWith('check:'));
const passed = await Promise.all(scripts.map(check));
if (passed.includes(false)) process.exitCode = 1;
