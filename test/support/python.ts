import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { ROOT } from './processes.ts';

const isThere = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

/** Debian's own Python has what Debian packages, another one that is first on the path may not. */
const CANDIDATES = ['python3', '/usr/bin/python3'];
/** Its whole path, since tools that are told of it run nothing. */
function withHttpx(python: string): string | undefined {
  const { status, stdout } = spawnSync(python, ['-c', 'import httpx, sys; print(sys.executable)']);
  return status === 0 ? stdout.toString().trim() : undefined;
}
const found = CANDIDATES.map(withHttpx).find((path) => path !== undefined);
if (found === undefined && !process.env.CI) {
  process.stderr.write('Not tested: what is written in Python, without a python3 that has httpx.\n');
}

/** A Python with httpx, as the path of its program, where a test has its own `python3`; CI must have it. */
export const PYTHON_PROGRAM = found ?? 'python3';

/** Makes the library available, as if it were installed. */
export const WITH_LIBRARY = { PYTHONPATH: join(ROOT, 'clients/python'), PYTHONDONTWRITEBYTECODE: '1' };

/** A test that runs Python. Without a Python that has httpx it is skipped, with a message; in CI it fails. */
export const testInPython = found !== undefined || process.env.CI ? test : test.skip;

/** A Python that can build a wheel. If none has pip, setuptools and wheel: undefined, with a message. */
export function wheelBuilder(): string | undefined {
  const builder = CANDIDATES.find((python) => isThere(python, '-c', 'import setuptools, wheel, pip'));
  if (builder === undefined) process.stderr.write('Not tested: the wheel, without pip, setuptools and wheel.\n');
  return builder;
}
