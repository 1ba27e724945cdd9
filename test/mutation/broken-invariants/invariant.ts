/** A promise, a way to break it in one place, and the test that must fail then. */
export interface Invariant {
  readonly invariant: string;
  readonly file: string;
  /** Stands in the file exactly once, however it is laid out there. */
  readonly find: string;
  readonly replace: string;
  readonly testFile: string;
  /** Full name, with those of its `describe`s. */
  readonly test: string;
}

/** One file of the code, and the tests of one file, that several invariants share. */
export const among = (
  file: string,
  testFile: string,
  entries: readonly (readonly [invariant: string, find: string, replace: string, test: string])[],
): Invariant[] =>
  entries.map(([invariant, find, replace, test]) => ({ invariant, file, find, replace, testFile, test }));
