import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ENVIRONMENT } from '../functions/wiring.ts';
import { LOCAL_KEY_TAG_SECRET, LOCAL_TABLES, type DatabaseAddress } from '../local/settings.ts';
import { onCore } from './cores.ts';
import type { Subject } from './subject.ts';

const HANDLERS: Record<Subject['name'], string> = {
  gateway: fileURLToPath(new URL('../functions/metered/handler.ts', import.meta.url)),
  peer: fileURLToPath(new URL('peer/handler.ts', import.meta.url)),
};

/** Starts a subject's handler behind node:http on a core; its first message is the port. */
export function startServer(
  name: Subject['name'],
  { endpoint, region, credentials }: DatabaseAddress,
  core: number,
): ChildProcess {
  const script = fileURLToPath(new URL('server.ts', import.meta.url));
  const [file = '', ...args] = onCore(core, [process.execPath, script, HANDLERS[name]]);
  return spawn(file, args, {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials?.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials?.secretAccessKey,
      [ENVIRONMENT.gatewayTable]: LOCAL_TABLES.gateway,
      [ENVIRONMENT.usageTable]: LOCAL_TABLES.usage,
      [ENVIRONMENT.keyTagSecrets]: LOCAL_KEY_TAG_SECRET,
    },
    // It logs and publishes metrics as deployed; where to does not matter.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** The CPU time that a server has used so far. */
export async function cpuMsOf(server: ChildProcess): Promise<number> {
  const answer = once(server, 'message') as Promise<[number]>;
  server.send('cpu');
  return (await answer)[0] / 1_000;
}

/** Starts what takes whatever it is given of a core, until it is killed or its parent has gone. */
export function startNeverWaiting(core: number): ChildProcess {
  const script = fileURLToPath(new URL('never-waiting.ts', import.meta.url));
  const [file = '', ...args] = onCore(core, [process.execPath, script]);
  return spawn(file, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
}
