/** A promise, a way to break it in one place, and the test that must fail then. */
export interface Invariant {
  readonly invariant: string;
  /** The piece of code. It occurs once, in any layout and in any file. */
  readonly find: string;
  readonly replace: string;
  /** The declaration that contains it, if other declarations contain the same code. */
  readonly within?: string | undefined;
  readonly testFile: string;
  /** Full name, with the names of its `describe`s. */
  readonly test: string;
}

/** Several invariants that the tests of one file guard. */
export const among = (
  testFile: string,
  entries: readonly (readonly [invariant: string, find: string, replace: string, test: string, within?: string])[],
): Invariant[] =>
  entries.map(([invariant, find, replace, test, within]) => ({ invariant, find, replace, within, testFile, test }));
