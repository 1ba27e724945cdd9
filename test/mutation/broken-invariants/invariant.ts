/** A promise, a way to break it in one place, and the test that must fail then. */
export interface Invariant {
  readonly invariant: string;
  /** Stands once in the code, however it is laid out and whatever its file is called. */
  readonly find: string;
  readonly replace: string;
  /** The declaration that holds it, where others hold the same. */
  readonly within?: string | undefined;
  readonly testFile: string;
  /** Full name, with those of its `describe`s. */
  readonly test: string;
}

/** Several invariants that the tests of one file guard. */
export const among = (
  testFile: string,
  entries: readonly (readonly [invariant: string, find: string, replace: string, test: string, within?: string])[],
): Invariant[] =>
  entries.map(([invariant, find, replace, test, within]) => ({ invariant, find, replace, within, testFile, test }));
