import { readFileSync } from 'node:fs';
import type { schema } from '@stryker-mutator/api/core';
import { load } from 'js-yaml';

/** A mutant that no test killed. */
export interface Survivor {
  readonly file: string;
  readonly line: number;
  readonly mutator: string;
  /** The code and what became of it, in one line of at most {@link MAX_LENGTH} characters: lines move, texts stay. */
  readonly was: string;
  readonly is: string;
}

/** Why a mutant may live: an entry of survivors.yaml, under its file. Without `is`: whatever the code becomes. */
interface Explanation extends Pick<Survivor, 'mutator' | 'was'>, Partial<Pick<Survivor, 'is'>> {
  readonly why: string;
}

const MAX_LENGTH = 100;
/** An explained one is not run, but in a run of all: the checker of explained.ts says that it does not compile. */
const LIVING: ReadonlySet<string> = new Set(['Survived', 'NoCoverage', 'CompileError']);

const EXPLANATIONS = Object.entries(
  (load(readFileSync(new URL('survivors.yaml', import.meta.url), 'utf8')) ?? {}) as Record<string, Explanation[]>,
).flatMap(([file, entries]) => entries.map((entry) => ({ file, line: 0, is: '', ...entry })));

/** Survivors that nothing explains, and explanations of what does not survive, of the files in the report. */
export function compare(report: schema.MutationTestResult): { unexplained: Survivor[]; stale: Survivor[] } {
  const survivors = survivorsOf(report);
  return {
    unexplained: survivors.filter((survivor) => !isExplained(survivor)),
    stale: EXPLANATIONS.filter(
      (entry) => entry.file in report.files && !survivors.some((survivor) => explains(entry, survivor)),
    ),
  };
}

const isExplained = (survivor: Survivor): boolean => EXPLANATIONS.some((entry) => explains(entry, survivor));

/** Those of a file's mutants that an entry explains which means one place of the code: of several, some may be killed. */
export function certainlyExplained(mutants: readonly (Survivor & { readonly place: string })[]): Set<Survivor> {
  const meant = EXPLANATIONS.map((entry) => mutants.filter((mutant) => explains(entry, mutant)));
  return new Set(meant.filter((of) => new Set(of.map(({ place }) => place)).size === 1).flat());
}

/** Lines of `start` and `end` count from 1, as in a report. */
export function survivorOf(
  file: string,
  source: string,
  { mutatorName: mutator, replacement = '', location: { start, end } }: Omit<schema.MutantResult, 'id' | 'status'>,
): Survivor {
  const was = inOneLine(source.slice(offsetOf(source, start), offsetOf(source, end)));
  return { file, line: start.line, mutator, was, is: inOneLine(replacement) };
}

const explains = (entry: Survivor, { file, mutator, was, is }: Survivor): boolean =>
  entry.file === file && entry.mutator === mutator && entry.was === was && (entry.is === '' || entry.is === is);

const survivorsOf = ({ files }: schema.MutationTestResult): Survivor[] =>
  Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(({ status }) => LIVING.has(status))
      .map((mutant) => survivorOf(file, source, mutant))
      .sort((a, b) => a.line - b.line),
  );

const inOneLine = (code: string): string => code.replace(/\s+/g, ' ').slice(0, MAX_LENGTH).trim();

/** Lines and columns count from 1. */
const offsetOf = (source: string, { line, column }: schema.Position): number =>
  source
    .split('\n')
    .slice(0, line - 1)
    .reduce((length, text) => length + text.length + 1, column - 1);
