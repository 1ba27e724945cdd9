import type { ThemedToken } from 'shiki/core';
import type { CodePart } from '../gateway/types.ts';
import { appModule, type Sample } from './app-modules.ts';

/** Kinds of words, by the names of their scopes; each is a class of the page. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  word: [
    'keyword',
    'storage',
    'support.function.builtin.shell',
    'entity.name.function.call.shell',
    'entity.name.command',
  ],
  string: ['string', 'punctuation.definition.string'],
  number: ['constant.numeric', 'constant.language', 'constant.other.option'],
  comment: ['comment', 'punctuation.definition.comment'],
  name: ['support.type.property-name', 'punctuation.support.type.property-name'],
};
/** A theme must have colours. These are numbers that stand for the kinds. */
const colourOf = (index: number): string => `#00000${index + 1}`;
const NAMES = Object.keys(KINDS);
const THEME = {
  name: 'kinds',
  type: 'light' as const,
  fg: '#000000',
  bg: '#ffffff',
  settings: [
    { settings: { foreground: '#000000' } },
    ...NAMES.map((kind, index) => ({ scope: [...(KINDS[kind] ?? [])], settings: { foreground: colourOf(index) } })),
    {
      scope: ['keyword.operator', 'string variable', 'string meta.template', 'string.unquoted'],
      settings: { foreground: '#000000' },
    },
  ],
};

/** The source of the module with the colours of all code that the pages show, so that no page has to compute them. */
export async function codeModule(): Promise<string> {
  const parts = await colour(await samples());
  return `// Generated from portal/docs/samples.ts and openapi.yaml.
/** Code, in the parts that have a colour of their own. */
export const CODE: ReadonlyMap<string, readonly (string | readonly [kind: string, text: string])[]> = new Map(
  (${JSON.stringify(parts)} as (string | [string, string])[][]).map((parts) => [
    parts.map((part) => (typeof part === 'string' ? part : part[1])).join(''),
    parts,
  ]),
);
`;
}

async function samples(): Promise<readonly Sample[]> {
  const { SAMPLES, linesFor } = await appModule('docs/samples');
  const { CONTRACT } = await appModule('gateway/contract');
  const examples: string[] = [];
  JSON.stringify(CONTRACT, (name, value: { text?: string }[]) => {
    if (name === 'examples') examples.push(...value.map(({ text = '' }) => text));
    return value;
  });
  return [
    ...SAMPLES,
    ...[...new Set(examples)].map((text) => ({ language: 'json', text })),
    ...Object.entries(CONTRACT.makeThisHappen).flatMap(([code, curl]) => linesFor(code, curl)),
  ];
}

/** The languages whose code has colours. */
export const LANGUAGES: readonly string[] = ['bash', 'typescript', 'python', 'json'];

let highlighting: ReturnType<typeof newHighlighter> | undefined;

/** One for all code: each takes some hundred milliseconds. */
async function newHighlighter() {
  const { createHighlighterCore } = await import('shiki/core');
  const { createJavaScriptRegexEngine } = await import('shiki/engine/javascript');
  return createHighlighterCore({
    themes: [THEME],
    langs: [
      import('shiki/langs/shellscript.mjs'),
      import('shiki/langs/typescript.mjs'),
      import('shiki/langs/python.mjs'),
      import('shiki/langs/json.mjs'),
    ],
    engine: createJavaScriptRegexEngine(),
  });
}

/** Code in its colours. */
export async function colour(all: readonly Sample[]): Promise<CodePart[][]> {
  highlighting ??= newHighlighter();
  const highlighter = await highlighting;
  return all.map(({ language, text }) =>
    merged(highlighter.codeToTokens(text, { lang: language, theme: THEME.name }).tokens),
  );
}

/** Neighbours of one kind are one part. */
function merged(lines: readonly (readonly ThemedToken[])[]): CodePart[] {
  const parts: { kind: string | undefined; text: string }[] = [];
  const add = (kind: string | undefined, text: string): void => {
    const last = parts.at(-1);
    if (last && (last.kind === kind || text.trim() === '')) last.text += text;
    else parts.push({ kind, text });
  };
  for (const [index, line] of lines.entries()) {
    if (index > 0) add(undefined, '\n');
    for (const { content, color = '' } of line) add(NAMES[NAMES.findIndex((_, at) => colourOf(at) === color)], content);
  }
  return parts.map(({ kind, text }) => (kind === undefined ? text : ([kind, text] as const)));
}
