import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/**
 * Whether `taskset` gives processes their cores, and there are two of them or more; elsewhere the system decides. Asked
 * once: a process that is pinned to a core sees no other.
 */
export const canPin: boolean = availableParallelism() > 1 && hasTaskset();

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The command that runs another one on a core. */
export const onCore = (core: number, command: readonly string[]): readonly string[] =>
  canPin ? ['taskset', '--cpu-list', String(core), ...command] : command;

/** Does something with this process, and what it starts meanwhile, on one core. */
export async function pinnedTo<T>(core: number, work: () => Promise<T>): Promise<T> {
  if (!canPin) return work();
  const pid = String(process.pid);
  const before =
    /: (.+)$/m.exec(execFileSync('taskset', ['--cpu-list', '--pid', pid], { encoding: 'utf8' }))?.[1] ?? '';
  const pin = (cores: string) =>
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, pid], { stdio: 'ignore' });
  pin(String(core));
  try {
    return await work();
  } finally {
    pin(before);
  }
}
