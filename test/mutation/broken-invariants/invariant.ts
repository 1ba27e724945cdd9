/**
 * Ways to break promises, by the test file and the full name of the test, with its `describe`s, that must fail then.
 */
export type BrokenBy = Readonly<Record<string, Readonly<Record<string, readonly Break[]>>>>;

/**
 * A piece of code, which occurs once, in any layout and in any file; what stands there instead, in which `…` is that
 * code; and the declaration that contains it, if other declarations contain the same code.
 */
type Break = readonly [find: string, replace: string, within?: string];

/** A promise, by the test that guards it, and one way to break it. */
export interface Invariant {
  readonly testFile: string;
  readonly test: string;
  readonly find: string;
  readonly replace: string;
  readonly within: string | undefined;
}

/** Each way as one entry. */
export const listed = (broken: BrokenBy): Invariant[] =>
  Object.entries(broken).flatMap(([testFile, tests]) =>
    Object.entries(tests).flatMap(([test, ways]) =>
      ways.map(([find, replace, within]) => ({
        testFile,
        test,
        find,
        replace: replace.replace('…', () => find),
        within,
      })),
    ),
  );
