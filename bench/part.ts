/** A quantity that was measured several times: half of the samples lie between the quartiles `low` and `high`. */
export interface Measured {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export type Cell = string | number | Measured;

/** A table of figures. The keys of a row name its figures for scripts, with their units: `p50Ms`. */
export interface Section {
  readonly heading: string;
  /** Key of a column → its heading for people, unit included; in the order in which they are shown. */
  readonly columns: Readonly<Record<string, string>>;
  /** A key that a row lacks is shown as an empty cell. */
  readonly rows: readonly Readonly<Record<string, Cell | undefined>>[];
}

/** Key of a column → its heading for people, and its figure of what a row is about. */
export type Columns<T> = Readonly<Record<string, readonly [heading: string, figureOf: (row: T) => Cell | undefined]>>;

/** A table with a row for each of these, in their order. */
export function sectionOf<T>(heading: string, subjects: readonly T[], columns: Columns<T>): Section {
  const each = <R>(of: (column: Columns<T>[string]) => R): Record<string, R> =>
    Object.fromEntries(Object.entries(columns).map(([key, column]) => [key, of(column)]));
  return {
    heading,
    columns: each(([shown]) => shown),
    rows: subjects.map((subject) => each(([, figureOf]) => figureOf(subject))),
  };
}

/** A figure with the bound that it should keep. */
export interface Target {
  readonly what: string;
  readonly value: number;
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** A picture of some of the figures, which `--plot` draws as `<name>.svg`. */
export interface Chart {
  readonly name: string;
  readonly title: string;
  readonly kind: 'bars' | 'lines';
  /** What stands along the horizontal axis, and what it is called. */
  readonly categories: readonly string[];
  readonly horizontal?: string;
  /** Name and unit of the vertical axis. */
  readonly vertical: string;
  /** Name of a series → its values in the order of the categories. */
  readonly series: Readonly<Record<string, readonly Measured[]>>;
}

/** What a part found. */
export interface Findings {
  readonly sections: readonly Section[];
  readonly targets: readonly Target[];
  readonly charts?: readonly Chart[];
  /** What a reader must know to read the figures rightly, a sentence each. */
  readonly notes?: readonly string[];
}

/** A part of the benchmark. A target that is not reached is shown as that; only what is broken throws. */
export interface BenchPart {
  readonly title: string;
  /** What is measured and how, in a sentence. */
  readonly measures: string;
  /** Repeats everything `runs` times, or a multiple of it, and tells what is being done. */
  readonly run: (context: { readonly runs: number; readonly progress: (doing: string) => void }) => Promise<Findings>;
}
