import type { Outcome } from './table.ts';

/** Ends a step that cannot run here, which is no failure. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** Ends a step whose program failed. */
export class ProgramFailed extends Error {
  override readonly name = 'ProgramFailed';
  readonly output: string;

  constructor(message: string, output: string) {
    super(message);
    this.output = output;
  }
}

/** One step of a rehearsal. */
export interface Step {
  readonly name: string;
  /** The steps that this one requires. */
  readonly needs: readonly string[];
  /** Runs the step, and returns what it found. */
  readonly work: () => Promise<string>;
  /** What to do when it fails. */
  readonly next: string;
}

const SHOWN_LINES = 12;

/** Runs steps one after the other, except those whose requirements failed. Returns the outcome of each. */
export async function makeSteps(
  steps: readonly Step[],
  now: () => number,
  begin: (name: string) => void,
  tell: (name: string, outcome: Outcome) => void,
): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  for (const { name, needs, work, next } of steps) {
    const missing = needs.find((need) => outcomes.get(need)?.result !== 'ok');
    const startedAtMs = now();
    begin(name);
    const ended =
      missing === undefined
        ? await work().then(
            (found): Omit<Outcome, 'seconds'> => ({ result: 'ok', found }),
            (error: unknown) => failure(error, next),
          )
        : ({ result: 'skipped', found: `needs "${missing}"` } as const);
    const outcome = { ...ended, seconds: (now() - startedAtMs) / 1_000 };
    outcomes.set(name, outcome);
    tell(name, outcome);
  }
  return outcomes;
}

function failure(error: unknown, next: string): Omit<Outcome, 'seconds'> {
  if (error instanceof Skipped) return { result: 'skipped', found: error.message };
  const found = error instanceof Error ? error.message : String(error);
  const output = error instanceof ProgramFailed ? error.output : '';
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return { result: 'failed', found, lines: lines.slice(-SHOWN_LINES), next };
}
