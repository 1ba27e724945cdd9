import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { DatabaseAddress } from '../local/settings.ts';
import { LOCAL_KEY_TAG_SECRET, LOCAL_TABLES } from '../local/settings.ts';
import { onCore } from './cores.ts';

/** What one step took: of the clock, and of the processor. Other load on the machine lengthens the first only. */
interface Spent {
  readonly ms: number;
  readonly cpuMs: number;
}

/** One cold start. */
export interface Start {
  readonly load: Spent;
  /** The first calls of its handler, in their order. */
  readonly calls: readonly Spent[];
}

/** What the portal's function asks for besides; none of it is reached. */
const OF_PORTAL = {
  PORTAL_ORIGIN: 'https://portal.example',
  GATEWAY_URL: 'https://gateway.example',
  OIDC_ISSUER: 'http://127.0.0.1:1',
  OIDC_CLIENT_ID: 'portal',
  OIDC_CLIENT_SECRET: 'none',
};

const runFile = promisify(execFile);
const MAX_ERROR_CHARACTERS = 500;
const SCRIPT = fileURLToPath(new URL('start-process.mjs', import.meta.url));
/** One core for all processes: how fast a core is, and what else runs on it, is the same for each. */
const CORE = 0;

/** The environment of a function, whichever it is. */
export const functionVariables = (address?: DatabaseAddress) => ({
  PATH: process.env.PATH,
  AWS_REGION: address?.region,
  AWS_ENDPOINT_URL_DYNAMODB: address?.endpoint,
  AWS_ACCESS_KEY_ID: address?.credentials?.accessKeyId,
  AWS_SECRET_ACCESS_KEY: address?.credentials?.secretAccessKey,
  GATEWAY_TABLE: LOCAL_TABLES.gateway,
  USAGE_TABLE: LOCAL_TABLES.usage,
  KEY_TAG_SECRETS: LOCAL_KEY_TAG_SECRET,
  ...OF_PORTAL,
});

/** Loads a bundle in a fresh process and calls its handler with each of the events, one after another. */
export async function startFresh(
  file: string,
  address?: DatabaseAddress,
  events: readonly unknown[] = [],
): Promise<Start> {
  const [program = '', ...args] = onCore(CORE, [process.execPath, SCRIPT, file, JSON.stringify(events)]);
  const { stdout } = await runFile(program, args, {
    env: functionVariables(address),
  }).catch((error: unknown) => {
    const { stderr = String(error) } = error as { stderr?: string };
    // The process shows the line of minified code where it failed, which is all of it.
    throw new Error(`${file} failed: ${/^\w*Error: .*/m.exec(stderr)?.[0] ?? stderr.slice(-MAX_ERROR_CHARACTERS)}`);
  });
  // Before it stand the log lines of the function.
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Start;
}
