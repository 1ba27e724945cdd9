/**
 * Runs a command with the shared things of tests, for tools that start jest many times. Usage: node run.ts COMMAND [ARG
 * …]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { offerShared } from './server.ts';

const [command = '', ...args] = process.argv.slice(2);
const offer = await offerShared();
// Shared things may use each other.
process.env.TEST_SHARED_URL = offer.url;
const child = spawn(command, args, { stdio: 'inherit' });
// Ctrl-C also reaches the command; the shared things end after it.
process.on('SIGINT', () => undefined);
const [status] = (await once(child, 'exit')) as [number | null];
// Its status counts: a mutant may make calls that its role does not allow, for which the IAM proxy rejects.
await offer.stop().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
process.exitCode = status ?? 1;
