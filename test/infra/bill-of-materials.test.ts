import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { billOfMaterials } from '../../lib/bill-of-materials.ts';

/** Licences that only require attribution. */
const FREE = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0', 'Unlicense'];

/** For fonts, which are served unchanged: it forbids selling them alone, and using their names for changed ones. */
const OF_FONTS = 'OFL-1.1';

const { components, ...bill } = await billOfMaterials();
const inBundle = (bundle: string) =>
  components.filter(({ properties }) => properties.some(({ value }) => value === bundle)).map(({ name }) => name);

describe('the bill of materials', () => {
  test('is of this project, in CycloneDX', () => {
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      metadata: { component: { name: 'sandbox-developer-gateway' } },
    });
  });

  test('has what is left in each bundle, and not what it was taken out of', () => {
    expect(inBundle('health')).toContain('@middy/core');
    expect(inBundle('health')).not.toContain('@aws-sdk/lib-dynamodb');
    expect(inBundle('metered')).toContain('@aws-sdk/lib-dynamodb');
    expect(inBundle('metered')).not.toContain('@smithy/credential-provider-imds');
    expect(inBundle('portal')).toContain('hono');
    expect(inBundle('web app')).toEqual(expect.arrayContaining(['react', 'react-dom', 'wouter']));
  });

  test('has them once, in the versions of the lockfile', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { version?: string }>;
    };
    const locked = new Set(
      Object.entries(packages).map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`),
    );
    const found = components.map(({ name, version }) => `${name}@${version}`);
    expect(found.length).toBeGreaterThan(30);
    expect(new Set(found).size).toBe(found.length);
    expect(found.filter((name) => !locked.has(name))).toEqual([]);
  });

  test('names no licence that asks for more than to be named, but that of the fonts', () => {
    const others = components.filter(({ licenses }) => !licenses.every(({ expression }) => FREE.includes(expression)));
    expect(others.map(({ name, licenses }) => [name, licenses])).toEqual(
      ['geist', 'geist-mono'].map((font) => [`@fontsource-variable/${font}`, [{ expression: OF_FONTS }]]),
    );
  });
});
