/** Runs a command with what tests share, for tools that start jest again and again. Usage: node run.ts COMMAND [ARG …] */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { offerShared } from './server.ts';

const [command = '', ...args] = process.argv.slice(2);
const offer = await offerShared();
// What is shared asks for the rest of it, too.
process.env.TEST_SHARED_URL = offer.url;
const child = spawn(command, args, { stdio: 'inherit' });
// Ctrl-C reaches the command as well; what is shared ends after it.
process.on('SIGINT', () => undefined);
const [status] = (await once(child, 'exit')) as [number | null];
await offer.stop();
process.exitCode = status ?? 1;
