/** A quantity that was measured several times. */
export interface Measured {
  readonly median: number;
  /** The quartiles: half of the samples lie between them. */
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
  readonly rows: readonly Readonly<Record<string, Cell>>[];
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
  /** Values in the order of the categories; null where there is none. */
  readonly series: readonly { readonly name: string; readonly values: readonly (number | Measured | null)[] }[];
}

/** What a part found. */
export interface Findings {
  readonly sections: readonly Section[];
  readonly targets: readonly Target[];
  readonly charts?: readonly Chart[];
  /** What a reader must know to read the figures rightly, a sentence each. */
  readonly notes?: readonly string[];
}

/** What a part runs with. */
export interface BenchContext {
  /** How much to repeat: rounds of a comparison, fresh processes, samples. A part scales it to what it measures. */
  readonly runs: number;
  /** Tells what is being done. */
  readonly progress: (doing: string) => void;
}

/**
 * One part of the benchmark. It measures and judges nothing by time: a target that is not reached is shown as that, and
 * only what is broken throws.
 */
export interface BenchPart {
  readonly title: string;
  /** What is measured and how, in a sentence. */
  readonly measures: string;
  readonly run: (context: BenchContext) => Promise<Findings>;
}

/** Whether a figure keeps its bound. */
export const isReached = ({ value, atMost = Infinity, atLeast = -Infinity }: Target): boolean =>
  value <= atMost && value >= atLeast;
