/** The figures of a part, in the order in which they are shown, with units in their names. */
export type Figures = Readonly<Record<string, number | string>>;

/** The settings of a run. */
interface SoakContext {
  /** The source of all random choices, so that a run can be repeated. */
  readonly seed: number;
  /** The amount, in the unit of the part. */
  readonly amount: number;
  /** Reports progress. */
  readonly progress: (done: number) => void;
}

/** One part of the soak. */
export interface SoakPart {
  /** The promise as a clause, such as "the chain agrees with the model". */
  readonly promise: string;
  /** The name of the option for the amount: `sequences`, `cases`, `minutes`. */
  readonly unit: string;
  readonly defaultAmount: number;
  /** Throws what broke the promise, with everything that repeats it. */
  readonly run: (context: SoakContext) => Promise<Figures>;
}
