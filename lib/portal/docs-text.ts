import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import TurndownService from 'turndown';
import { ROOT } from '../bundling.ts';

/** The first page of the documentation, which has no name in its address. */
const FIRST = '/docs';
const FIRST_NAME = 'quick-start';
/** A link to a page of the documentation: its path and its anchor. */
const DOCS_LINK = /^(\/docs(?:\/[\w-]+)?)(#.*)?$/;

/** The parts of the app from which its pages are written as text. */
interface Rendering {
  readonly addresses: readonly string[];
  /** The description of a page, for readers without a session. */
  readonly render: (address: string) => string;
  readonly samples: readonly { readonly language: string; readonly text: string }[];
}

/**
 * The pages of the documentation as Markdown, and `llms.txt`, which lists them, by their paths. They are made from the
 * pages themselves, so that both say the same.
 */
export async function docsTexts(sources: string): Promise<ReadonlyMap<string, string>> {
  const { addresses, render, samples } = await renderingOf(sources);
  const markdown = markdownWriter(samples);
  const texts = addresses.map((address) => [markdownPath(address), `${markdown(render(address))}\n`] as const);
  return new Map([...texts, ['/llms.txt', llmsText(texts)]]);
}

/** Where the Markdown of a page is. */
const markdownPath = (address: string): string => (address === FIRST ? `${FIRST}/${FIRST_NAME}` : address) + '.md';

/** The pages by their titles, each with the sentence below its title (https://llmstxt.org). */
function llmsText(texts: readonly (readonly [path: string, text: string])[]): string {
  const entries = texts.map(([path, text]) => {
    const [title = '', about = ''] = text.split('\n\n', 2);
    return `- [${title.replace(/^# /, '')}](${path}): ${about}`;
  });
  return [
    '# Sandbox Developer Gateway',
    '> A metered sandbox API: authenticated by key, limited by rate and quota, safe to repeat by Idempotency-Key.',
    '## Documentation',
    entries.join('\n'),
    '## Libraries',
    '- [clients/index.json](/clients/index.json): the packages for TypeScript and Python, with their SHA-256',
    '## Contract',
    '- [openapi.yaml](/openapi.yaml): every operation, header and error code, in OpenAPI 3.1',
    '- [manage.yaml](/manage.yaml): the management API, for programs with a management token, in OpenAPI 3.1',
    '',
  ].join('\n\n');
}

/**
 * The pages, built for rendering to text. They run in their own context, with the parts of a browser that they need.
 */
async function renderingOf(sources: string): Promise<Rendering> {
  const contents = `
    import { renderToStaticMarkup } from 'react-dom/server.browser';
    import { Router } from 'wouter';
    import { DOCS_PAGES } from './docs/pages.ts';
    const page = new Map(DOCS_PAGES);
    export { SAMPLES as samples } from './docs/samples.ts';
    export const addresses = [...page.keys()];
    export const render = (address) => {
      const Page = page.get(address);
      return renderToStaticMarkup(<Router ssrPath={address}><Page /></Router>);
    };
  `;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: sources, loader: 'tsx' },
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    globalName: 'docs',
    outdir: ROOT,
    assetNames: '[name]',
    publicPath: '/',
    loader: { '.yaml': 'file', '.woff2': 'empty' },
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"', IS_DEVELOPMENT: 'false' },
    logLevel: 'silent',
  });
  const script = outputFiles.find(({ path }) => path.endsWith('.js'))?.text ?? '';
  // Who reads a text knows where it is from; a build does not.
  const location = { pathname: FIRST, search: '', hash: '', origin: 'https://portal.example' };
  // React uses it for messages to itself when it renders in steps. A real one would keep the process running.
  class MessageChannel {
    port1 = {};
    port2 = {};
  }
  const browser = { location, TextEncoder, MessageChannel, URLSearchParams };
  return runInNewContext(`${script}; docs`, browser) as Rendering;
}

/**
 * The members of an element that are read here. The library's own types need those of a browser, which this project
 * does not load.
 */
interface Element {
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly previousSibling: Element | null;
  readonly parentNode: Element | null;
  readonly childNodes: { readonly length: number };
  readonly getAttribute: (name: string) => string | null;
}

/** In one line. */
const inline = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Writes the HTML of a page as Markdown. */
function markdownWriter(samples: Rendering['samples']): (html: string) => string {
  const languages = new Map(samples.map(({ language, text }) => [text.trim(), language]));
  const writer = new TurndownService({ headingStyle: 'atx', bulletListMarker: '-', emDelimiter: '_' });
  const languageOf = (code: string): string =>
    languages.get(code) ?? (code.startsWith('{') ? 'json' : code.includes('curl ') ? 'shellscript' : '');
  writer.remove(['button', 'nav', 'svg']);
  const rule = (
    tags: TurndownService.TagName | TurndownService.TagName[],
    replacement: (content: string, element: Element) => string,
  ): void => {
    writer.addRule(String(tags), {
      filter: tags,
      replacement: (content, node) => replacement(content, node as Element),
    });
  };
  rule(['h1', 'h2', 'h3'], (content, { nodeName }) => `\n\n${'#'.repeat(Number(nodeName[1]))} ${inline(content)}\n\n`);
  // A style separates a name from the text beside it, and not a space.
  rule('span', (content, { previousSibling }) => (previousSibling ? ` ${content}` : content));
  rule('pre', (_content, { textContent }) => {
    const code = (textContent ?? '').trim();
    return `\n\n\`\`\`${languageOf(code)}\n${code}\n\`\`\`\n\n`;
  });
  rule('a', (content, element) => {
    const address = element.getAttribute('href') ?? '';
    const [, path, anchor = ''] = DOCS_LINK.exec(address) ?? [];
    if (address.startsWith('#')) return content;
    return `[${inline(content)}](${path === undefined ? address : markdownPath(path) + anchor})`;
  });
  rule('dt', (content) => `\n- ${inline(content).replaceAll(')[', '), [')}`);
  rule('dd', (content) => (content.trim() === '' ? '' : `: ${inline(content)}`));
  rule(['th', 'td'], (content) => `| ${inline(content).replaceAll('|', '\\|')} `);
  rule('tr', (content, { parentNode, childNodes }) => {
    const line = parentNode?.nodeName === 'THEAD' ? `|${' --- |'.repeat(childNodes.length)}\n` : '';
    return `${content.trim()} |\n${line}`;
  });
  rule(['thead', 'tbody'], (content) => content);
  return (html) => writer.turndown(html);
}
