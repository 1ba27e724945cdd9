import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { accepts } from '../../local/database.ts';
import { notePrinted } from './secrets/printed.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const POLL_INTERVAL_MS = 20;
const GIVE_UP_AFTER_MS = 20_000;

/**
 * The environment of a newcomer, without our variables and npm's. It has the cache of compiled code, as the npm scripts
 * do.
 */
const { PATH = '', HOME = '', JAVA_HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
export const CLEAN = { PATH, HOME, JAVA_HOME, NODE_COMPILE_CACHE };

export type Variables = Readonly<Record<string, string>>;

/** A process of this project, with its output so far. */
export interface RunningProcess {
  readonly child: ChildProcessWithoutNullStreams;
  stdout: string;
  stderr: string;
  /** Resolves with the exit status (null if a signal ended it). */
  readonly exited: Promise<number | null>;
}

/** Starts one of the files in `bin/`. */
export const run = (file: string, args: readonly string[], environment: Variables): RunningProcess =>
  runScript(`bin/${file}`, args, environment);

/** Options of Node for a program that ends with its test. */
const WITH_TEST = ['--import', fileURLToPath(new URL('end-with-parent.mjs', import.meta.url))];

/** The same for the command of `npm start`, where each function calls the database under its own role. */
export const WITH_ROLES = [...WITH_TEST, '--import', fileURLToPath(new URL('iam-proxy/roles.mjs', import.meta.url))];

/** Starts Node with a script of the project. */
export const runScript = (script: string, args: readonly string[], environment: Variables): RunningProcess =>
  start(process.execPath, [...WITH_TEST, script, ...args], environment, [script, ...args]);

/** Starts a program that soon ends by itself, in the folder of the project. */
export const runCommand = (command: string, args: readonly string[], environment: Variables): RunningProcess =>
  start(command, args, environment, args);

/** What a program that ends by itself has printed; `input` is all of its stdin. */
export async function completed(running: RunningProcess, input = '') {
  // A program that reads none of it may have ended before it is written.
  running.child.stdin.on('error', () => undefined).end(input);
  return { status: await running.exited, stdout: running.stdout, stderr: running.stderr };
}

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

/** Collects the output of a child process; `args` describe the process. */
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
  /** The command to paste. */
  readonly curl: string;
}

/** Free ports for everything that `npm start` runs, and no demo data. */
export const FREE_PORTS: Variables = {
  PORT: '0',
  PORTAL_PORT: '0',
  IDENTITY_PORT: '0',
  MAILBOX_PORT: '0',
  DYNAMODB_PORT: '0',
  DEMO: 'empty',
};

/**
 * Runs the command of `npm start` on free ports, without the portal, as {@link atDoor} does, and waits for the banner.
 */
export const startGateway = (environment: Variables = {}): Promise<RunningGateway> =>
  atDoor({ PORTAL: 'off', ...environment });

/**
 * Runs the command of `npm start` on free ports and on a database behind an IAM proxy (engine.ts), and waits for the banner.
 * The database ends with the process. `exited` then rejects if the IAM proxy has refused a call.
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
  // `end` reports it. Nobody waits for a process without a banner.
  exited.catch(() => undefined);
  return banner(Object.assign(running, { exited }));
}

/** The same, with the database that it starts itself. That checks neither signatures nor permissions. */
export const onOwnDatabase = (environment: Variables = {}): Promise<RunningGateway> =>
  banner(run('local.ts', [], { ...FREE_PORTS, ...environment }));

/** Waits for the banner of a gateway and reads it. */
export async function banner(running: RunningProcess): Promise<RunningGateway> {
  // One that starts while others are under load waits for the database as they do.
  await until(() => running.stdout.includes('curl -i') || running.child.exitCode !== null, 3 * GIVE_UP_AFTER_MS);
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

/** Whether a server accepts connections at a local URL. */
export const listens = (url: string): Promise<boolean> => accepts(Number(portOf(url)));

/** Waits until a condition holds; fails after 20 seconds, or as many as are given. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  giveUpAfterMs = GIVE_UP_AFTER_MS,
): Promise<void> {
  const giveUpAt = performance.now() + giveUpAfterMs;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`waited in vain: ${String(condition)}`);
    await pause(POLL_INTERVAL_MS);
  }
}

/** The result of one command. */
export interface CliResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output, read as JSON. */
  readonly json: Record<string, unknown>;
}

/** Runs the smoke test; `input` is its stdin, which stays open. */
export async function smoke(args: readonly string[], environment: Variables = {}, input = ''): Promise<CliResult> {
  const running = run('smoke.ts', args, environment);
  if (input !== '') running.child.stdin.write(`${input}\n`);
  return cliResult(await running.exited, running);
}

/** The output of a command, with its JSON if it has any. */
export function cliResult(
  status: number | null,
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
): CliResult {
  const json = stdout.startsWith('{') ? (JSON.parse(stdout) as Record<string, unknown>) : {};
  return { status, stdout, stderr, json };
}

export const portOf = (url: string): string => new URL(url).port;
