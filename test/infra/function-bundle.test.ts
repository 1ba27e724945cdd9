import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { bundleFunction } from '../../lib/function-bundle.ts';

test('a function’s bundle is the same, byte for byte, wherever it is written: only a change makes a new version', () => {
  const directory = mkdtempSync(join(tmpdir(), 'bundle-'));
  try {
    const [near, far] = ['out', 'another/place/out'].map((folder) => {
      bundleFunction('health', join(directory, folder));
      const files = readdirSync(join(directory, folder)).sort();
      return files.map((file) => [file, readFileSync(join(directory, folder, file), 'utf8')]);
    });
    expect(near?.map(([file]) => file)).toEqual(['index.mjs', 'index.mjs.map']);
    expect(far).toEqual(near);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
