/** A quantity that was measured several times. Half of the samples lie between the quartiles `low` and `high`. */
export interface Measured {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export type Cell = string | number | Measured | undefined;

/** Key of a column, for scripts → its heading, for people, and its figure of a row. */
type Columns<T> = Readonly<Record<string, readonly [heading: string, figureOf: (row: T) => Cell]>>;

/** A table of figures. */
export interface Section {
  readonly heading: string;
  /** In the order in which they are shown. */
  readonly columns: Readonly<Record<string, string>>;
  readonly rows: readonly Readonly<Record<string, Cell>>[];
}

/** Makes a table with a row for each subject, in their order. */
export function sectionOf<T>(heading: string, subjects: readonly T[], columns: Columns<T>): Section {
  const entries = Object.entries(columns);
  return {
    heading,
    columns: Object.fromEntries(entries.map(([key, [shown]]) => [key, shown])),
    rows: subjects.map((subject) => Object.fromEntries(entries.map(([key, [, figureOf]]) => [key, figureOf(subject)]))),
  };
}

/** What a part found. */
export interface Findings {
  readonly sections: readonly Section[];
  /** What a reader must know to understand the figures, one sentence each. */
  readonly notes?: readonly string[];
}

/** A part of the benchmark. No figure passes or fails. A defect throws. */
export interface BenchPart {
  readonly title: string;
  /** What is measured and how, in a sentence. */
  readonly measures: string;
  /** Repeats everything `runs` times, or a multiple of it, and reports progress. */
  readonly run: (runs: number, progress: (doing: string) => void) => Promise<Findings>;
}
