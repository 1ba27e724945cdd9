import type { Run } from './run.ts';
import { ProgramFailed } from './sequence.ts';
import { OURS } from './stage.ts';

/** The stage of a rehearsal, for the CDK. */
export const STAGE = ['-c', 'stage=dev', '-c', 'portal=on'];

/** The programs of a rehearsal. Each fails as its program does. */
export type Programs = ReturnType<typeof programsOf>;

/** @param endpoint instead of AWS; undefined: AWS itself  */
export function programsOf(run: Run, endpoint: string | undefined) {
  const ran = async (command: string, args: readonly string[], input?: string): Promise<string> => {
    const { status, stdout, output } = await run(command, args, input);
    if (status !== 0) throw new ProgramFailed(`exit status ${status}`, output);
    return stdout;
  };
  const rollback = (...args: string[]): Promise<string> => ran('bin/rollback.ts', ['--stage', 'dev', ...args]);
  return {
    ran,
    rollback,
    cdk: (command: string, ...args: string[]): Promise<string> => ran('cdk', [command, ...args]),
    /** @param note a new note makes new versions of all functions  */
    deploy: (note: string, ...settings: string[]): Promise<string> =>
      ran('bin/deploy.ts', [
        ...[...STAGE, '-c', `replaceInstances=${note}`, ...settings.flatMap((setting) => ['-c', setting])],
        ...['--require-approval', 'never', '--tags', `${OURS}=true`],
        // For a skipped stack the CDK deletes an absent change set, which an endpoint may refuse.
        ...(endpoint === undefined ? [] : ['--method', 'direct']),
      ]),
    admin: async (...args: string[]): Promise<Record<string, unknown>> =>
      JSON.parse(await ran('bin/admin.ts', [...args, '--stage', 'dev', '--json'])) as Record<string, unknown>,
    /** The metered function's live version. */
    liveVersion: async (): Promise<string> => {
      const [, version = 'unknown'] = /^(\d+) .* 100 %$/m.exec(await rollback('--list')) ?? [];
      return version;
    },
    /** Returns the verdict. */
    smoke: async (args: readonly string[], key = ''): Promise<string> =>
      (await ran('bin/smoke.ts', args, `${key}\n`)).trim().split('\n').at(-1) ?? '',
  };
}
