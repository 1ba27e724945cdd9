import { globSync, readFileSync } from 'node:fs';

/**
 * The place of a piece of code in a source, in any layout: with other spaces and line breaks, and with
 * or without a comma before a closing bracket.
 */
function pattern(code: string): RegExp {
  const tokens = code.replace(/,\s*(?=[)\]}])/g, '').match(/\w+|[^\w\s]/g) ?? [];
  const parts = tokens.map((token, index) => {
    const escaped = token.replace(/\W/, '\\$&');
    if (index === 0) return escaped;
    return /[)\]}]/.test(token) ? `\\s*,?\\s*${escaped}` : `\\s*${escaped}`;
  });
  return new RegExp(parts.join(''), 'g');
}

/** A declaration at the left margin begins here, and the one before it ends. */
const DECLARATION = /^(?:export )?(?:async )?(?:function|const|class|interface|type) (\w+)/gm;

/** A place in the code. */
export interface Place {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

/** Every place of a piece of code in the deployed sources, or inside the declarations of a name. */
export function placesOf({ find, within }: { readonly find: string; readonly within?: string | undefined }): Place[] {
  sources ??= globSync(['functions/**/*.ts', 'lib/**/*.ts']).map((file) => [file, readFileSync(file, 'utf8')] as const);
  return sources.flatMap(([file, source]) =>
    [...source.matchAll(pattern(find))]
      .filter(({ index }) => within === undefined || declarationAt(source, index) === within)
      .map(({ index, 0: { length } }) => ({ file, start: index, end: index + length })),
  );
}
let sources: (readonly [file: string, source: string])[] | undefined;

const declarationAt = (source: string, index: number): string | undefined =>
  [...source.slice(0, index).matchAll(DECLARATION)].at(-1)?.[1];
