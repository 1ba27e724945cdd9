/**
 * Runs a command as long as its own standard input is open, then ends it. It is started in its own process group, so
 * the Ctrl-C that stops the gateway does not reach it: the database runs until the gateway has finished its requests.
 * When the gateway dies, even by kill -9, the system closes the pipe, and the supervisor ends the database.
 *
 * Usage: node supervisor.ts FILE [ARGUMENT …]
 */
import { spawn } from 'node:child_process';

/** How long the command may take to stop; with the gateway's draining it is within 5 s. */
const GRACE_MS = 500;

// Its files are for its owner only.
process.umask(0o077);
const [file, ...args] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: supervisor.ts FILE [ARGUMENT …]');
const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'inherit'] });

child.on('error', ({ message }) => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
});
child.on('exit', (code) => process.exit(code ?? 1));

const stop = (): void => {
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref();
};
process.stdin.on('end', stop).on('error', stop).resume();
process.on('SIGTERM', stop);
// A closed pipe of the parent must not end the supervisor before the command.
process.stderr.on('error', () => undefined);
