/** What a part of the soak found, in the order in which it is shown; units are in the names. */
export type Figures = Readonly<Record<string, number | string>>;

/** What a part runs with. */
interface SoakContext {
  /** Everything random comes from it, so that a run can be repeated. */
  readonly seed: number;
  /** How much to do, in the part's own unit. */
  readonly amount: number;
  /** Tells how far it is. */
  readonly progress: (done: number) => void;
}

/** One part of the soak. */
export interface SoakPart {
  /** What is proved, as a clause: "the chain agrees with the model". */
  readonly promise: string;
  /** Of the option that says how much: `sequences`, `cases`, `minutes`. */
  readonly unit: string;
  readonly defaultAmount: number;
  /** Throws what broke the promise, with all that is needed to see it again. */
  readonly run: (context: SoakContext) => Promise<Figures>;
}
