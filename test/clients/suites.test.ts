import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT, runCommand } from '../support/processes.ts';
import { PYTHON_PROGRAM, testInPython } from '../support/python.ts';

/** Every Node on this machine that the library supports, by its version: the project's own, and those on the path. */
function nodes(): ReadonlyMap<string, string> {
  const paths = [process.execPath, ...(process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))];
  return new Map(
    paths.flatMap((path) => {
      try {
        const version = execFileSync(path, ['--version'], { stdio: 'pipe' }).toString().trim();
        return Number(/\d+/.exec(version)) >= 20 ? [[version, path]] : [];
      } catch {
        return [];
      }
    }),
  );
}

describe('each library passes its own suite, which needs no network', () => {
  test.each([...nodes()])('TypeScript, on Node %s', async (_version, node) => {
    const files = readdirSync('clients/typescript/test').filter((name) => name.endsWith('.test.mjs'));
    const suite = runCommand(node, ['--test', ...files.map((name) => `clients/typescript/test/${name}`)], {});
    expect([await suite.exited, suite.stdout + suite.stderr]).toEqual([0, expect.stringMatching(/(#|ℹ) fail 0/)]);
    expect(Number(/(?:#|ℹ) pass (\d+)/.exec(suite.stdout)?.[1])).toBeGreaterThan(30);
  });

  testInPython('Python', async () => {
    const suite = runCommand(
      PYTHON_PROGRAM,
      ['-W', 'error', '-m', 'unittest', 'discover', '-t', 'clients/python', '-s', 'clients/python/tests'],
      {
        PYTHONDONTWRITEBYTECODE: '1',
      },
    );
    expect([await suite.exited, suite.stderr]).toEqual([0, expect.stringMatching(/\nOK\n$/)]);
    expect(Number(/Ran (\d+) tests/.exec(suite.stderr)?.[1])).toBeGreaterThan(10);
  });
});

testInPython('the Python library has neither a word nor a type that Python 3.10 does not know', async () => {
  const pyright = runCommand(
    process.execPath,
    [join(ROOT, 'node_modules/pyright/index.js'), '-p', 'clients/python', '--pythonpath', PYTHON_PROGRAM],
    {},
  );
  expect([await pyright.exited, pyright.stdout]).toEqual([0, expect.stringContaining('0 errors')]);
});
