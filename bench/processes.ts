import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { ENVIRONMENT } from '../functions/shared/names.ts';
import { LOCAL_KEY_TAG_SECRET, LOCAL_TABLES, type DatabaseAddress } from '../local/settings.ts';

/**
 * Whether `taskset` can pin processes and there are at least two cores. Otherwise the system decides. Asked
 * only once, since a pinned process sees no other core.
 */
export const canPin: boolean = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/**
 * Starts a module in its own process, pinned to a core if possible, with this process's environment if
 * no other is given. Its output is discarded. It communicates by messages, and ends when it is disconnected.
 */
export function startProcess(
  module: URL,
  { args = [], environment, core }: { args?: readonly string[]; environment?: NodeJS.ProcessEnv; core?: number },
) {
  const pinned = canPin && core !== undefined;
  const child = fork(module, args, {
    execPath: pinned ? 'taskset' : process.execPath,
    execArgv: pinned ? ['--cpu-list', String(core), process.execPath] : [],
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const next = async <T>(): Promise<T> => {
    const failure = ended.then(([status]) =>
      Promise.reject(new Error(`${module.pathname} ended with status ${status}`)),
    );
    const [message] = (await Promise.race([once(child, 'message'), failure])) as [T];
    return message;
  };
  return {
    /** Its next message. Throws if it ends before. */
    next,
    stop: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** The environment of a gateway's function, with its tables on a local database if one is given. */
export const functionVariables = (address?: DatabaseAddress): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  AWS_REGION: address?.region,
  AWS_ENDPOINT_URL_DYNAMODB: address?.endpoint,
  AWS_ACCESS_KEY_ID: address?.credentials?.accessKeyId,
  AWS_SECRET_ACCESS_KEY: address?.credentials?.secretAccessKey,
  [ENVIRONMENT.gatewayTable]: LOCAL_TABLES.gateway,
  [ENVIRONMENT.usageTable]: LOCAL_TABLES.usage,
  [ENVIRONMENT.keyTagSecrets]: LOCAL_KEY_TAG_SECRET,
});
