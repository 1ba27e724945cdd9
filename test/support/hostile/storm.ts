import fc from 'fast-check';

/** The options of a storm: everything random depends on the seed. */
export interface StormOptions {
  readonly seed: number;
  readonly cases: number;
  /** Cases that run at the same time. */
  readonly lanes?: number;
  readonly progress?: (done: number) => void;
}

const DEFAULT_LANES = 12;

/**
 * Plays generated cases, several at once. Throws at the first case that fails, with the shrunk case as JSON; the same
 * seed and count repeat the storm.
 */
export async function storm<Case>(
  cases: fc.Arbitrary<Case>,
  play: (hostile: Case) => Promise<void>,
  { seed, cases: count, lanes = DEFAULT_LANES, progress }: StormOptions,
): Promise<void> {
  let done = 0;
  const lane = async (index: number): Promise<void> => {
    const property = fc.asyncProperty(cases, async (hostile) => {
      try {
        await play(hostile);
      } catch (error) {
        throw new Error(`${JSON.stringify(hostile)}\n${(error as Error).message}`, { cause: error });
      }
      progress?.(++done);
    });
    const run = await fc.check(property, { seed: seed + index, numRuns: Math.ceil((count - index) / lanes) });
    if (!run.failed) return;
    const place = `lane seed ${run.seed}, path ${run.counterexamplePath}, ${run.numShrinks} shrinks`;
    throw new Error(`${place}:\n${(run.errorInstance as Error).message}`);
  };
  await Promise.all(Array.from({ length: Math.min(lanes, count) }, (_, index) => lane(index)));
}
