import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lexer, type Token, type Tokens } from 'marked';
import type { Block, CodeOfPage, Guide, Inline } from '../gateway/types.ts';
import { ROOT } from '../../lib/bundling.ts';
import { appModule } from './app-modules.ts';
import { openapi } from './openapi.ts';
import { colour, LANGUAGES } from './code-colours.ts';

/** The directory of the documentation of the API. */
export const GUIDES = 'docs/api';
/** The pages in the order of the contents, by the names of their files. */
export const GUIDE_NAMES = [
  'quick-start',
  'keys',
  'idempotency',
  'limits',
  'testing',
  'webhooks',
  'automation',
  'errors',
  'reference',
  'changes',
] as const;
/** The first page has no name in its address. */
const FIRST = 'quick-start';
/** A link to another page: its name and its anchor. */
const GUIDE_LINK = /^([\w-]+)\.md(#.*)?$/;
/** The place of a part that a component of the page shows. */
const SLOT = /^<!-- ([\w-]+) -->/;
/** A contract, or what it is built from. The portal serves it as a document of that name. */
const CONTRACT_LINK = /^(?:\.\.\/)+(?:functions\/portal\/contract\/)?(\w+)\.(?:yaml|ts)$/;
/** The address of a contract, or any other address as it is. */
export const contractAddress = (address: string): string => address.replace(CONTRACT_LINK, '/$1.yaml');

const sourceOf = (name: string): string => readFileSync(join(ROOT, GUIDES, `${name}.md`), 'utf8');

/** The place of all types of webhooks, and in it that of their bodies, of which the page shows one at a time. */
const WEBHOOKS = '<!-- webhooks -->';
const BODIES = 'webhook-bodies';

/** The source of a page as text, with what it has from the contract. */
export const guideText = (name: string): string =>
  sourceOf(name).replace(WEBHOOKS, () => {
    const types = webhookTypes().map(
      ({ type, about, text }) => `## \`${type}\`\n\n${about}\n\n\`\`\`json the body of ${type}\n${text}\n\`\`\``,
    );
    return [...types, webhookMembers()].join('\n\n');
  });

const addressOf = (name: string): string => (name === FIRST ? '/docs' : `/docs/${name}`);
/** The anchor of a heading, in GitHub's form; of one that is code, the code. */
const anchorOf = (heading: string): string =>
  /^`(.*)`$/.exec(heading)?.[1] ??
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

/** The types of webhook deliveries, each with its example. */
const webhookTypes = () =>
  Object.entries(openapi.webhooks).map(([type, { post }]) => ({
    type,
    about: `${post.summary}.`,
    text: JSON.stringify(post.requestBody.content['application/json'].example, null, 2),
  }));

/** What the members of a delivery mean. */
function webhookMembers(): string {
  const { data, ...outer } = openapi.components.schemas.Webhook?.properties ?? {};
  const within = Object.entries(data?.properties ?? {}).map(([name, member]) => [`data.${name}`, member] as const);
  const rows = [...Object.entries(outer), ...within].map(
    ([name, { description }]) => `| \`${name}\` | ${description ?? ''} |`,
  );
  return `## What each member means\n\n${['| Member | Meaning |', '| --- | --- |', ...rows].join('\n')}`;
}

/** The address of a link, on the portal. */
function linked(address: string): string {
  const [, name, anchor = ''] = GUIDE_LINK.exec(address) ?? [];
  if (name !== undefined) return addressOf(name) + anchor;
  return contractAddress(address);
}

/** What is within a line. A line break of the source is a space. */
const inline = (tokens: readonly Token[] = []): Inline[] =>
  tokens.map((token): Inline => {
    const within = 'tokens' in token ? inline(token.tokens) : [];
    if (token.type === 'codespan') return ['code', [token.text as string]];
    if (token.type === 'strong') return ['b', within];
    if (token.type === 'em') return ['i', within];
    if (token.type === 'link') return ['a', within, linked(token.href as string)];
    if (token.type === 'escape' || token.type === 'text') return (token.text as string).replaceAll('\n', ' ');
    throw new Error(`The pages cannot show this Markdown: ${token.raw}`);
  });

/** A block of a page; nothing for what separates blocks. */
async function block(token: Token): Promise<Block[]> {
  switch (token.type) {
    case 'space':
      return [];
    case 'paragraph':
      return [{ kind: 'paragraph', content: inline(token.tokens) }];
    case 'list':
      return [
        { kind: 'list', items: (token as Tokens.List).items.map(({ tokens }) => inline(tokens.flatMap(lineOf))) },
      ];
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      const cells = (row: readonly Tokens.TableCell[]): Inline[][] => row.map(({ tokens }) => inline(tokens));
      return [{ kind: 'table', headings: header.map(({ text }) => text.replaceAll('`', '')), rows: rows.map(cells) }];
    }
    case 'code': {
      const { lang = '', text } = token as Tokens.Code;
      const [language = '', ...what] = lang.split(' ');
      return [await codeOf(language, what.join(' '), text)];
    }
    case 'html': {
      const [, name] = SLOT.exec(token.raw) ?? [];
      if (name === BODIES)
        return [{ kind: 'choice', label: 'Type', options: await Promise.all(webhookTypes().map(body)) }];
      if (name !== undefined) return [{ kind: 'slot', name }];
    }
  }
  throw new Error(`The pages cannot show this Markdown: ${token.raw}`);
}
/** Code in its colours. */
async function codeOf(language: string, what: string, text: string): Promise<CodeOfPage> {
  const [parts = [text]] = LANGUAGES.includes(language) ? await colour([{ language, text }]) : [];
  return { kind: 'code', what, text, parts };
}
/** The body of a type of webhook, to choose. */
const body = async ({ type, about, text }: ReturnType<typeof webhookTypes>[number]) => ({
  name: type,
  about,
  code: await codeOf('json', `the body of ${type}`, text),
});
/** The content of an item is one line of text. */
const lineOf = (token: Token): Token[] => ('tokens' in token ? (token.tokens ?? []) : [token]);

/** A page, by its sections. */
async function guideOf(name: string): Promise<Guide> {
  const source = sourceOf(name).replace(WEBHOOKS, () => `## Each type\n\n<!-- ${BODIES} -->\n\n${webhookMembers()}`);
  const [title, , about, ...tokens] = lexer(source);
  const sections: { id: string; title: string; blocks: Block[] }[] = [];
  for (const token of tokens) {
    if (token.type === 'heading') {
      const text = (token as Tokens.Heading).text;
      sections.push({ id: anchorOf(text), title: text.replaceAll('`', ''), blocks: [] });
    } else {
      const blocks = await block(token);
      if (blocks.length > 0) sections.at(-1)?.blocks.push(...blocks);
    }
  }
  const head = {
    address: addressOf(name),
    title: (title as Tokens.Heading).text,
  };
  return { ...head, about: inline((about as Tokens.Paragraph).tokens), sections };
}

/** The source of the module with the pages, ready to be shown: no page reads Markdown. */
export async function guidesModule(): Promise<string> {
  const guides = await Promise.all(GUIDE_NAMES.map(guideOf));
  return [
    `// Generated from ${GUIDES}/.`,
    "import type { Guide } from './types.ts';",
    `export const GUIDES: readonly Guide[] = ${JSON.stringify(guides)};\n`,
  ].join('\n');
}

/** What is said within a line. */
const lineText = (content: readonly Inline[]): string =>
  content.map((part) => (typeof part === 'string' ? part : lineText(part[1]))).join('');

/** What a block says. The words of code are names that somebody chose. */
function blockText(block: Block): string {
  if (block.kind === 'paragraph') return lineText(block.content);
  if (block.kind === 'list') return block.items.map(lineText).join(' ');
  if (block.kind === 'table')
    return block.rows.map((cells) => cells.map(lineText).join(': ').replace(/\.$/, '')).join('. ');
  if (block.kind === 'choice') return block.options.map(({ name, about }) => `${name}: ${about}`).join(' ');
  return '';
}

/** The source of the module with what the search finds: each page, section and operation, with what it says. */
export async function contentsModule(): Promise<string> {
  const guides = await Promise.all(GUIDE_NAMES.map(guideOf));
  const contents = guides.flatMap(({ address, title, about, sections }) => [
    { address, name: title, within: 'Docs', text: lineText(about) },
    ...sections.map(({ id, title: name, blocks }) => ({
      address: `${address}#${id}`,
      name,
      within: title,
      text: blocks.map(blockText).filter(Boolean).join(' '),
    })),
  ]);
  const { CONTRACT } = await appModule('gateway/contract');
  contents.push(
    ...CONTRACT.operations.map(({ operationId, method, path, summary, description, parameters }) => ({
      address: `${addressOf('reference')}#${operationId}`,
      name: `${method} ${path}`,
      within: 'API reference',
      text: [summary, description, ...parameters.map(({ name }) => name)].join(' ').replaceAll('`', ''),
    })),
  );
  return [
    `// Generated from ${GUIDES}/ and openapi.yaml.`,
    '/** Pages and sections of the documentation, and operations, with what they say. */',
    'export const CONTENTS: readonly Readonly<Record<',
    `  'address' | 'name' | 'within' | 'text', string>>[] = ${JSON.stringify(contents)};\n`,
  ].join('\n');
}
