import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { accepts } from '../../local/database.ts';
import { notePrinted } from './secrets/printed.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const POLL_INTERVAL_MS = 20;
const GIVE_UP_AFTER_MS = 20_000;

/** The environment of a newcomer: none of our own variables, no npm. Compiled code is kept, as by the npm scripts. */
const { PATH = '', HOME = '', JAVA_HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
export const CLEAN = { PATH, HOME, JAVA_HOME, NODE_COMPILE_CACHE };

export type Variables = Readonly<Record<string, string>>;

/** A process of this project, with what it has printed so far. */
export interface RunningProcess {
  readonly child: ChildProcessWithoutNullStreams;
  stdout: string;
  stderr: string;
  /** Resolves with the exit status (null: ended by a signal). */
  readonly exited: Promise<number | null>;
}

/** Starts one of the files in `bin/`. */
export const run = (file: string, args: readonly string[], environment: Variables): RunningProcess =>
  runScript(`bin/${file}`, args, environment);

/** Options of Node for a program that ends with the test that started it. */
const WITH_TEST = ['--import', fileURLToPath(new URL('end-with-parent.mjs', import.meta.url))];

/** And for `npm start`'s command, of which each function calls the database under its own role. */
export const WITH_ROLES = [...WITH_TEST, '--import', fileURLToPath(new URL('door/roles.mjs', import.meta.url))];

/** Starts Node with a script of the project. */
export const runScript = (script: string, args: readonly string[], environment: Variables): RunningProcess =>
  start(process.execPath, [...WITH_TEST, script, ...args], environment, [script, ...args]);

/** Starts a program that soon ends by itself, in the folder of the project. */
export const runCommand = (command: string, args: readonly string[], environment: Variables): RunningProcess =>
  start(command, args, environment, args);

function start(
  command: string,
  args: readonly string[],
  environment: Variables,
  what: readonly string[],
): RunningProcess {
  const env = { ...CLEAN, ...environment };
  const child = spawn(command, args, { cwd: ROOT, env, detached: true, stdio: ['pipe', 'pipe', 'pipe', 'ipc'] });
  return observed(child as ChildProcessWithoutNullStreams, what);
}

/** Collects what a child process prints; `args` say what it is. */
export function observed(child: ChildProcessWithoutNullStreams, args: readonly string[]): RunningProcess {
  const exited = once(child, 'close').then(([code]) => {
    notePrinted(args, running);
    return code as number | null;
  });
  const running: RunningProcess = { child, stdout: '', stderr: '', exited };
  child.stdout.on('data', (chunk: Buffer) => (running.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (running.stderr += chunk.toString()));
  return running;
}

export interface RunningGateway extends RunningProcess {
  readonly url: string;
  readonly databaseUrl: string;
  readonly projectId: string;
  readonly key: string;
  /** The line to paste. */
  readonly curl: string;
}

/** Free ports for all that `npm start` runs, and no demo data. */
export const FREE_PORTS: Variables = {
  PORT: '0',
  PORTAL_PORT: '0',
  IDENTITY_PORT: '0',
  DYNAMODB_PORT: '0',
  DEMO: 'empty',
};

/** Runs `npm start`'s command on free ports, without the portal and as {@link atDoor} does, and waits for the banner. */
export const startGateway = (environment: Variables = {}): Promise<RunningGateway> =>
  atDoor({ PORTAL: 'off', ...environment });

/**
 * Runs `npm start`'s command on free ports and on a database behind a door (engine.ts), and waits for the banner. The
 * database ends with it, and what is `exited` then rejects when a call was refused.
 */
export async function atDoor(environment: Variables): Promise<RunningGateway> {
  const [{ startEngine }, { chooseEngine }] = await Promise.all([
    import('./engine.ts'),
    import('../../local/engines.ts'),
  ]);
  const database = await startEngine(chooseEngine().name);
  const env = { ...FREE_PORTS, AWS_ENDPOINT_URL_DYNAMODB: database.address.endpoint, ...environment };
  const running = start(process.execPath, [...WITH_ROLES, 'bin/local.ts'], env, ['bin/local.ts']);
  const exited = running.exited.then(async (code) => {
    await database.stop();
    return code;
  });
  // Told by `end`: of one without a banner nobody else looks.
  exited.catch(() => undefined);
  return banner(Object.assign(running, { exited }));
}

/** The same with the database that it starts itself, which looks neither at signatures nor at permissions. */
export const onOwnDatabase = (environment: Variables = {}): Promise<RunningGateway> =>
  banner(run('local.ts', [], { ...FREE_PORTS, ...environment }));

/** Waits for the banner of a gateway and reads it. */
export async function banner(running: RunningProcess): Promise<RunningGateway> {
  await until(() => running.stdout.includes('curl -i') || running.child.exitCode !== null);
  const find = (pattern: RegExp): string => {
    const found = pattern.exec(running.stdout)?.[1];
    if (found === undefined) throw new Error(`no banner: ${running.stdout}${running.stderr}`);
    return found;
  };
  return Object.assign(running, {
    url: find(/^ *Gateway +(http\S+)$/m),
    databaseUrl: find(/^ *Database +(http\S+) /m),
    projectId: find(/^ *Project +(\S+)$/m),
    key: find(/^ *Test key +(\S+)$/m),
    curl: find(/^(curl -i .*)$/m),
  });
}

/** Sends a signal to a process, or to its whole group, and waits for its end. */
export async function end(
  running: RunningProcess,
  signal: NodeJS.Signals = 'SIGTERM',
  whole: 'process' | 'group' = 'process',
): Promise<number | null> {
  const { pid = 0, exitCode, signalCode } = running.child;
  if (exitCode === null && signalCode === null) process.kill(whole === 'group' ? -pid : pid, signal);
  return running.exited;
}

/** Whether something takes connections at a URL of this machine. */
export const listens = (url: string): Promise<boolean> => accepts(Number(portOf(url)));

/** Waits until a condition holds; fails when it does not within 20 seconds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`waited in vain: ${String(condition)}`);
    await pause(POLL_INTERVAL_MS);
  }
}

/** The outcome of one command. */
export interface CliResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output, read as JSON. */
  readonly json: Record<string, unknown>;
}

/** Runs one command of the admin CLI as it is run; `admin` (test/support/admin.ts) is quicker. */
export const adminProcess = (args: readonly string[], environment: Variables): Promise<CliResult> =>
  outcome(run('admin.ts', args, environment));

/** Runs the smoke test; `input` is its stdin, which stays open. */
export function smoke(args: readonly string[], environment: Variables = {}, input = ''): Promise<CliResult> {
  const running = run('smoke.ts', args, environment);
  if (input !== '') running.child.stdin.write(`${input}\n`);
  return outcome(running);
}

async function outcome(running: RunningProcess): Promise<CliResult> {
  const status = await running.exited;
  return cliResult(status, running);
}

/** What a command printed, with what may be read of it as JSON. */
export function cliResult(
  status: number | null,
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
): CliResult {
  const json = stdout.startsWith('{') ? (JSON.parse(stdout) as Record<string, unknown>) : {};
  return { status, stdout, stderr, json };
}

export const portOf = (url: string): string => new URL(url).port;
