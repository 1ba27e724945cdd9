import { spawnSync } from 'node:child_process';
import { test } from '@jest/globals';

const isThere = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

/** Whether Python is installed for the tests that need it; CI must have it. */
const hasPython = Boolean(process.env.CI) || isThere('python3', '--version');
if (!hasPython) process.stderr.write('Not tested: what is written in Python, without python3.\n');

/** A test that runs Python. Without Python it is skipped, with a message. */
export const testInPython = hasPython ? test : test.skip;

/** A Python that can build a wheel. If none has pip, setuptools and wheel: undefined, with a message. */
export function wheelBuilder(): string | undefined {
  const found = ['python3', '/usr/bin/python3'].find((python) =>
    isThere(python, '-c', 'import setuptools, wheel, pip'),
  );
  if (found === undefined) process.stderr.write('Not tested: the wheel, without pip, setuptools and wheel.\n');
  return found;
}
