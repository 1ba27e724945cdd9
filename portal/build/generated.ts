import { globSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ROOT } from '../../lib/bundling.ts';

/** A module with a part of the gateway's contract, for the portal's pages. */
const pageModule = async (path: string): Promise<string> => {
  const { gatewayModules } = await import('./gateway-contract.ts');
  return gatewayModules().get(path) ?? '';
};

/** A module of the client library as it is published, or its types. Each is made from its source alone. */
async function clientModule(source: string, what: 'code' | 'types'): Promise<string> {
  const { default: ts } = await import('typescript');
  const { config } = ts.readConfigFile(join(ROOT, CLIENT, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, join(ROOT, CLIENT));
  const how = { fileName: source, compilerOptions: options };
  const text = await readFile(join(ROOT, source), 'utf8');
  return (what === 'code' ? ts.transpileModule(text, how) : ts.transpileDeclaration(text, how)).outputText;
}

/** The code that the pages show, in its colours. */
const colours = async (): Promise<string> => (await import('./code-colours.ts')).codeModule();

/** The packages of the client libraries, as the pages name them. */
const packages = async (): Promise<string> => (await import('./client-packages.ts')).packagesModule();

/** It is on the file system of the checkout, and outside the app's sources. */
const CACHE = join(ROOT, 'node_modules/.cache/generated-');
const GATEWAY = 'openapi.yaml';
const SAMPLES = 'portal/docs/samples.ts';
const GUIDES = 'docs/api';
const CLIENT = 'clients/typescript';
const PACKAGES = 'portal/gateway/packages.ts';
/** The contract of the management API, which the portal serves as `/manage.yaml`. */
export const MANAGE_CONTRACT = 'portal/gateway/manage.yaml';
/** What the contract of the management API and the codes of the gateway are made from. */
const CONTRACT = globSync(['functions/portal/contract/**/*.ts', 'functions/shared/**/*.ts'], { cwd: ROOT });
const PYTHON = 'clients/python/sandbox_gateway';
const GENERATORS = globSync(['package-lock.json', 'portal/build/*.ts'], { cwd: ROOT });
const MODULES: readonly {
  readonly path: string;
  readonly from: readonly string[];
  readonly make: () => Promise<string>;
}[] = [
  // What the client library has of the contracts; it must come before the library.
  ...(['manage-api', 'problems'] as const).map((name) => ({
    path: `${CLIENT}/src/${name}.ts`,
    from: CONTRACT,
    make: async () => (await import('./client-modules.ts')).clientModules[name](),
  })),
  // The client library is built, so that the examples and its tests import it as its callers do.
  ...[...new Set(['manage-api.ts', 'problems.ts', ...readdirSync(join(ROOT, CLIENT, 'src'))])].flatMap((file) => {
    const [source, name] = [`${CLIENT}/src/${file}`, file.replace(/\.ts$/, '')];
    const from = [source, `${CLIENT}/tsconfig.json`];
    return [
      { path: `${CLIENT}/dist/${name}.js`, from, make: () => clientModule(source, 'code') },
      { path: `${CLIENT}/dist/${name}.d.ts`, from, make: () => clientModule(source, 'types') },
    ];
  }),
  ...(['_manage', '_problems'] as const).map((name) => ({
    path: `${PYTHON}/${name}.py`,
    from: CONTRACT,
    make: async () => (await import('./python-modules.ts')).pythonModules[name](),
  })),
  // It must come after the libraries, which it packs.
  {
    path: PACKAGES,
    from: globSync(['clients/typescript/{src/*,*.md,package.json}', 'clients/python/{*.md,pyproject.toml,*/*.py}'], {
      cwd: ROOT,
    }),
    make: packages,
  },
  ...['portal/gateway/contract.ts', 'portal/gateway/errors.ts'].map((path) => ({
    path,
    from: [GATEWAY],
    make: () => pageModule(path),
  })),
  // It must come after the contract's modules and that of the packages, because it colours code with what they say.
  { path: 'portal/gateway/code.ts', from: [GATEWAY, SAMPLES, PACKAGES], make: colours },
  {
    path: MANAGE_CONTRACT,
    from: CONTRACT,
    make: async () => (await import('./manage-document.ts')).manageYaml(),
  },
  ...(['guidesModule', 'contentsModule'] as const).map((name) => ({
    path: `portal/gateway/${name.replace('Module', '')}.ts`,
    from: [GATEWAY, ...readdirSync(join(ROOT, GUIDES)).map((file) => `${GUIDES}/${file}`)],
    make: async () => (await import('./guides.ts'))[name](),
  })),
];

/** When a file was last changed; 0: there is none. */
const changedAtMs = async (path: string): Promise<number> =>
  (await stat(join(ROOT, path)).catch(() => undefined))?.mtimeMs ?? 0;

/**
 * Makes what is absent or stale: modules from the gateway's contract, the contract of the management API from its
 * schemas, and the client library. `npm ci`, `npm start`, `npm test`, `npm run check` and a build of the app do this
 * first. None of it is in git.
 */
export async function makeGenerated(): Promise<void> {
  await mkdir(dirname(CACHE), { recursive: true });
  const generatorsMs = await Promise.all(GENERATORS.map(changedAtMs));
  for (const { path, from, make } of MODULES) {
    const isFresh =
      (await changedAtMs(path)) >= Math.max(...generatorsMs, ...(await Promise.all(from.map(changedAtMs))));
    // A sum is of contents: a file that was deleted, or that came back with its old time, changes it too.
    if (isFresh && path !== PACKAGES) continue;
    const text = await make();
    if (path === PACKAGES && text === (await readFile(join(ROOT, path), 'utf8').catch(() => ''))) continue;
    // Each of two parallel runs moves a complete file into place.
    const unfinished = await mkdtemp(CACHE);
    await writeFile(join(unfinished, 'module.ts'), text);
    await mkdir(dirname(join(ROOT, path)), { recursive: true });
    await rename(join(unfinished, 'module.ts'), join(ROOT, path));
    await rmdir(unfinished);
  }
}
