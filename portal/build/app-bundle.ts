import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild';
import { ROOT } from '../../lib/bundling.ts';
import { MANAGE_CONTRACT } from './generated.ts';
import { ASSETS } from '../../lib/portal/app-files.ts';
import { clientFiles } from './client-packages.ts';
import { docsTexts } from './docs-text.ts';
import { CATALOG_PATH } from '../../lib/portal/page-headers.ts';

/** The directory of the web app's sources. */
export const APP_SOURCES = join(ROOT, 'portal');

/** The first browsers that support `light-dark()` and ranges in media queries; all are of 2024. */
const BROWSERS = ['chrome123', 'edge123', 'firefox128', 'safari17.5'];
/** The entry of the app, and that of its styles, which is no file. */
const ENTRY = 'main.tsx';
const STYLES = 'styles.ts';

/**
 * The script that the page runs before the first paint. It is a separate file, because the policy allows no inline
 * script.
 */
const FIRST_PAINT = 'theme/first-paint.ts';
/**
 * The catalog of APIs (RFC 9727, in the form of RFC 9264): the gateway's API and the management API, with their
 * descriptions for programs and for people.
 */
const CATALOG = {
  linkset: [
    {
      anchor: CATALOG_PATH,
      item: [
        { href: '/docs/reference', title: 'Sandbox Developer Gateway' },
        { href: '/manage/v1', title: 'Sandbox Developer Management' },
      ],
    },
    {
      anchor: '/docs/reference',
      'service-desc': [{ href: '/openapi.yaml', type: 'application/yaml' }],
      'service-doc': [
        { href: '/docs', type: 'text/html' },
        { href: '/llms.txt', type: 'text/plain' },
      ],
    },
    {
      anchor: '/manage/v1',
      'service-desc': [{ href: '/manage.yaml', type: 'application/yaml' }],
      'service-doc': [{ href: '/docs/automation', type: 'text/html' }],
    },
  ],
};
/** The namespace of modules that are fetched later. */
const LATER = 'later';

/**
 * Makes each module that is fetched later also import the entry, which has run by then. esbuild makes one file for each
 * set of entries that share code. So all code of the first page is in one file instead of forty small ones.
 */
const FEW_FILES: Plugin = {
  name: 'few-files',
  setup: (bundler) => {
    bundler.onResolve({ filter: /^\./ }, ({ kind, resolveDir, path }) =>
      kind === 'dynamic-import' ? { path: relative(APP_SOURCES, join(resolveDir, path)), namespace: LATER } : undefined,
    );
    bundler.onLoad({ filter: /./, namespace: LATER }, async ({ path }) => {
      const hasDefault = (await readFile(join(APP_SOURCES, path), 'utf8')).includes('\nexport default ');
      const contents = `import './${ENTRY}'; export * from './${path}';`;
      return {
        contents: hasDefault ? `${contents} export { default } from './${path}';` : contents,
        resolveDir: APP_SOURCES,
      };
    });
  },
};

/** The build options of every file of the app. */
const OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'browser',
  target: BROWSERS,
  minify: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'silent',
} as const satisfies BuildOptions;

/**
 * Writes the web app into an empty directory: `index.html`, `assets/`, and the files for programs. Returns esbuild's
 * description of inputs and outputs.
 */
export async function bundleApp(directory: string): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: { app: join(APP_SOURCES, ENTRY) },
    stdin: { contents: everyStyle(), resolveDir: APP_SOURCES, sourcefile: join(APP_SOURCES, STYLES) },
    ...OPTIONS,
    outdir: join(directory, ASSETS),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    publicPath: ASSETS,
    loader: { '.woff2': 'file' },
    splitting: true,
    plugins: [FEW_FILES],
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const firstPaint = await build({
    ...OPTIONS,
    entryPoints: [join(APP_SOURCES, FIRST_PAINT)],
    outdir: join(directory, ASSETS),
    entryNames: '[name]-[hash]',
    format: 'iife',
  });
  const [theme = ''] = Object.keys(firstPaint.metafile.outputs);
  const { script, style, chunks, fonts, unused } = filesOf(metafile);
  await Promise.all(unused.map((file) => rm(join(ROOT, file))));
  const icon = await readFile(join(APP_SOURCES, 'icon.svg'));
  const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
  await writeFile(join(directory, ASSETS, iconName), icon);
  const addressOf = (file: string): string => ASSETS + basename(file);
  const page = (await readFile(join(APP_SOURCES, 'index.html'), 'utf8'))
    .replace('{{icon}}', addressOf(iconName))
    .replace('{{theme}}', addressOf(theme))
    .replace('{{style}}', addressOf(style))
    .replace('<!-- fonts -->', fonts.map((file) => preloadOf(addressOf(file))).join(''))
    .replace('{{script}}', addressOf(script))
    .replace(
      '<!-- chunks -->',
      chunks.map((file) => `<link rel="modulepreload" href="${addressOf(file)}" />`).join(''),
    );
  await writePlainFiles(directory);
  await writeFile(join(directory, 'index.html'), page);
  return metafile;
}

/**
 * Writes the files for programs: the documentation as Markdown, the contracts, the catalog that names them, and the
 * client libraries.
 */
async function writePlainFiles(directory: string): Promise<void> {
  const files = new Map<string, string | Uint8Array>([
    ...(await docsTexts()),
    ...(await clientFiles()),
    ['/openapi.yaml', await readFile(join(ROOT, 'openapi.yaml'), 'utf8')],
    ['/manage.yaml', await readFile(join(ROOT, MANAGE_CONTRACT), 'utf8')],
    [CATALOG_PATH, `${JSON.stringify(CATALOG, null, 2)}\n`],
  ]);
  for (const [path, content] of files) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }
}

/**
 * A tag that requests a font together with the style sheet, and not after it. It must request it without credentials:
 * otherwise the browser fetches the font twice.
 */
const preloadOf = (address: string): string =>
  `<link rel="preload" href="${address}" as="font" type="font/woff2" crossorigin />`;

/**
 * Imports the style sheets of all components, those of the app first. So a page that is loaded later needs no style
 * sheet of its own. This is a separate entry: in the app's entry, the first page would fetch a file with the class
 * names of each sheet.
 */
const everyStyle = (): string =>
  [ENTRY, ...globSync('**/*.module.css', { cwd: APP_SOURCES }).sort()].map((file) => `import './${file}';`).join('\n');

interface Files {
  readonly script: string;
  readonly style: string;
  /** All direct and indirect imports of the script: requested at once, and not one after the other. */
  readonly chunks: readonly string[];
  /** The fonts that the style sheet names. */
  readonly fonts: readonly string[];
  /**
   * Outputs that are deleted: style sheets of pages, whose content is in the one style sheet, and the script of the
   * entry of styles.
   */
  readonly unused: readonly string[];
}

function filesOf({ outputs }: Metafile): Files {
  const outputOf = (entry: string) =>
    Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(`/${entry}`));
  const [script] = outputOf(ENTRY) ?? [];
  const [styles, output] = outputOf(STYLES) ?? [];
  const style = output?.cssBundle;
  if (script === undefined || style === undefined) throw new Error('The web app has no script or no style.');
  const chunks = new Set<string>();
  const follow = (file: string): void => {
    for (const { path, kind } of outputs[file]?.imports ?? []) {
      if (kind !== 'import-statement' || chunks.has(path)) continue;
      chunks.add(path);
      follow(path);
    }
  };
  follow(script);
  const unused = Object.keys(outputs).filter((file) => file === styles || (file.endsWith('.css') && file !== style));
  const fonts = Object.keys(outputs).filter((file) => file.endsWith('.woff2'));
  return { script, style, chunks: [...chunks], fonts, unused };
}
