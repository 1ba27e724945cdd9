import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { npmPackage, wheel } from '../../portal/build/client-packages.ts';
import { ROOT, runCommand } from '../support/processes.ts';
import { wheelBuilder } from '../support/python.ts';

/** What is published: neither library is used here as it lies in this folder. */
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'published-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const { license, repository } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly license: string;
  readonly repository?: object;
};
/** Of one of the project's tools: its exit status and what it printed. */
async function tool(path: string, ...args: readonly string[]) {
  const running = runCommand(process.execPath, [join(ROOT, 'node_modules', path), ...args], { NO_COLOR: '1' });
  return [await running.exited, running.stdout + running.stderr] as const;
}

const IMPORTS = `import { RateLimitError, SandboxGateway, SandboxGatewayError } from 'sandbox-gateway';
import { SandboxManagement } from 'sandbox-gateway/management';
import { answer, charges, problem, signWebhook } from 'sandbox-gateway/testing';
import { verifyWebhook } from 'sandbox-gateway/webhooks';
`;

describe('the npm package', () => {
  const installed = () => join(directory, 'node_modules/sandbox-gateway');
  let tarball: string;
  beforeAll(async () => {
    const { file, bytes } = await npmPackage();
    tarball = join(directory, basename(file));
    writeFileSync(tarball, bytes);
    mkdirSync(installed(), { recursive: true });
    execFileSync('tar', ['-xzf', tarball, '-C', installed(), '--strip-components=1']);
  });

  test('has the built modules, their types, README and changelog, and nothing else', () => {
    const modules = readdirSync('clients/typescript/src').map((name) => name.replace(/\.ts$/, ''));
    const files = readdirSync(installed(), { recursive: true, encoding: 'utf8' });
    expect(files.toSorted()).toEqual(
      [
        ...['CHANGELOG.md', 'README.md', 'dist', 'package.json'],
        ...modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]),
      ].toSorted(),
    );
  });

  test('has licence and repository of the project, where it has one, and no dependency', () => {
    const manifest = JSON.parse(readFileSync(join(installed(), 'package.json'), 'utf8')) as Record<string, unknown>;
    expect(manifest).toMatchObject({ name: 'sandbox-gateway', license, type: 'module' });
    expect(manifest.repository).toEqual(repository && { ...repository, directory: 'clients/typescript' });
    expect(Object.keys(manifest).filter((name) => name.toLowerCase().includes('dependencies'))).toEqual([]);
  });

  test('has nothing that publint finds', async () => {
    const [status, printed] = await tool('publint/src/cli.js', 'run', tarball, '--strict');
    expect([status, printed]).toEqual([0, expect.stringContaining('All good!')]);
  });

  test('has types that are those of its code, wherever a module is imported', async () => {
    const [status, printed] = await tool('@arethetypeswrong/cli/dist/index.js', tarball, '--profile', 'esm-only');
    expect([status, printed]).toEqual([0, expect.stringContaining('sandbox-gateway')]);
  });

  test('needs nothing of Node for a client of either API, so that it runs at an edge', async () => {
    const entryPoints = ['index', 'management'].map((name) => join(installed(), `dist/${name}.js`));
    const built = await build({ entryPoints, bundle: true, platform: 'neutral', write: false, outdir: directory });
    expect(built.outputFiles).toHaveLength(2);
    const signs = build({
      entryPoints: [join(installed(), 'dist/webhooks.js')],
      bundle: true,
      platform: 'neutral',
      write: false,
      logLevel: 'silent',
    });
    await expect(signs).rejects.toThrow('node:crypto');
  });

  test('tells in an editor what each name, option and member is', () => {
    const entries = ['index', 'management', 'testing', 'webhooks'].map((name) =>
      join(installed(), `dist/${name}.d.ts`),
    );
    const program = ts.createProgram(entries, { module: ts.ModuleKind.NodeNext, lib: ['lib.es2022.d.ts'] });
    const checker = program.getTypeChecker();
    const silent = entries.flatMap((entry) => {
      const source = program.getSourceFile(entry);
      const module = source && checker.getSymbolAtLocation(source);
      if (module === undefined) return [entry];
      return checker.getExportsOfModule(module).flatMap((exported) => {
        const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
        const { declarations: [declaration] = [], members = new Map<string, ts.Symbol>() } = symbol;
        const isListed = declaration && (ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration));
        const own = isListed ? [...(members as ReadonlyMap<string, ts.Symbol>).values()] : [];
        const isPublic = ({ name }: ts.Symbol): boolean => /^(?!name$)[a-z]/.test(name);
        return [symbol, ...own.filter(isPublic)]
          .filter((each) => each.getDocumentationComment(checker).length === 0)
          .map((each) => `${symbol.name}.${each.name}`);
      });
    });
    expect(silent).toEqual([]);
  });

  test('is used as its README says by a strict project that checks its types too', async () => {
    const readme = readFileSync('clients/typescript/README.md', 'utf8');
    const blocks = [...readme.matchAll(/^( *)```js\n([^]*?)^ *```$/gm)].map(([, , code = '']) => code);
    expect(blocks.length).toBeGreaterThan(3);
    // What stands in later blocks is imported and made in the first.
    const program = blocks
      .join('\n')
      .replaceAll(/^ *import .*\n/gm, '')
      .replace('receive(body, headers)', 'receive(body: Uint8Array, headers: Headers)')
      .replace('process.env.WEBHOOK_SECRET', "process.env.WEBHOOK_SECRET ?? ''");
    writeFileSync(join(directory, 'program.ts'), IMPORTS + program);
    mkdirSync(join(directory, 'node_modules/@types'));
    symlinkSync(join(ROOT, 'node_modules/@types/node'), join(directory, 'node_modules/@types/node'));
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2022'],
    };
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
    const config = { compilerOptions: { ...compilerOptions, types: ['node'] }, files: ['program.ts'] };
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config));
    expect(await tool('typescript/bin/tsc', '--noEmit', '--project', directory)).toEqual([0, '']);
  });
});

const python = wheelBuilder();
(python === undefined ? describe.skip : describe)('the wheel', () => {
  const run = (...args: string[]): string =>
    execFileSync(python ?? '', args, {
      stdio: 'pipe',
      env: { ...process.env, PYTHONPATH: join(directory, 'installed') },
    }).toString();
  beforeAll(async () => {
    const { file, bytes } = await wheel();
    const path = join(directory, basename(file));
    writeFileSync(path, bytes);
    const alone = ['--quiet', '--no-deps', '--no-index', '--disable-pip-version-check'];
    run('-m', 'pip', 'install', ...alone, '--target', join(directory, 'installed'), path);
  });

  test('has the library and that it is typed, and nothing else', () => {
    const files = readdirSync(join(directory, 'installed'), { recursive: true, encoding: 'utf8' });
    const modules = readdirSync('clients/python/sandbox_gateway').filter((name) => name !== '__pycache__');
    expect(modules).toContain('py.typed');
    const others = files.filter((name) => !/dist-info|__pycache__/.test(name));
    expect(others.toSorted()).toEqual(
      ['sandbox_gateway', ...modules.map((name) => `sandbox_gateway/${name}`)].toSorted(),
    );
  });

  test('has the licence of the project, the README, the version of its code, and httpx and anyio as dependencies', () => {
    const facts = `
import json, sandbox_gateway
from importlib import metadata
told = metadata.metadata("sandbox-gateway")
print(json.dumps([told["License"], told["Version"] == sandbox_gateway.__version__, told["Requires-Python"],
    metadata.requires("sandbox-gateway"), told.get_payload().strip().splitlines()[0]]))`;
    expect(JSON.parse(run('-c', facts))).toEqual([
      license,
      true,
      '>=3.10',
      ['httpx', 'anyio'].map((name) => expect.stringMatching(new RegExp(`^${name}\\b`))),
      '# sandbox-gateway',
    ]);
  });
});
