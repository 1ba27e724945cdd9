/** `npm start`: the whole gateway on one machine. Settings: docs/contributing.md, "Settings of npm start". */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { devNull } from 'node:os';
import { inspect } from 'node:util';
import { SettingsError } from '../functions/core/named-value.ts';
import { banner } from '../local/banner.ts';
import { openDataDirectory } from '../local/data-directory.ts';
import { docs } from '../local/docs.ts';
import { chooseEngine } from '../local/engines.ts';
import { startGuardedDatabase, type GuardedDatabase } from '../local/guarded-database.ts';
import { gatewayServer, type GatewayServer, type Handlers } from '../local/http-server.ts';
import { prepareDatabase } from '../local/prepare.ts';
import { localSettings, portError, type DatabaseAddress, type LocalSettings } from '../local/settings.ts';

const HOST = '127.0.0.1';
/** Longer than a request's deadline of 4 s, and with the database's own stop within the 5 s that all may last. */
const DRAIN_TIMEOUT_MS = 4_400;
const PARENT_POLL_INTERVAL_MS = 500;
/** What leads the SDK elsewhere than to a loopback database, besides the caller's configuration files. */
const CALLERS_OWN = [
  'AWS_PROFILE',
  'AWS_SESSION_TOKEN',
  'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS',
  'AWS_USE_FIPS_ENDPOINT',
  'AWS_USE_DUALSTACK_ENDPOINT',
];

const stopping = new AbortController();
let gateway: GatewayServer | undefined;
let database: GuardedDatabase | undefined;
let demoKey: string | undefined;

// Whoever read the banner may close the pipe; the gateway goes on.
process.stdout.on('error', () => undefined);
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
stopWithParent();

try {
  await start(localSettings(process.env));
} catch (error) {
  if (!stopping.signal.aborted) {
    // A setting that cannot be used, or the system's refusal of a file or directory: one line says it all.
    const isKnown = error instanceof SettingsError || (error instanceof Error && 'syscall' in error);
    process.stderr.write(isKnown ? `${error.message}\n` : `${inspect(error)}\n`);
    await shutDown(1);
  }
}

async function start(settings: LocalSettings): Promise<void> {
  const handlers = Promise.withResolvers<Handlers>();
  const pages = docs(() => demoKey);
  gateway = gatewayServer(handlers.promise, pages);
  if (settings.dataDirectory !== undefined) openDataDirectory(settings.dataDirectory);
  const gatewayUrl = `http://${HOST}:${await listen(gateway, settings.port)}`;
  const address = await databaseAddress(settings);
  enterFunctionEnvironment(settings, address);
  handlers.resolve(loadHandlers());
  const databaseUrl = (database?.guardedAddress ?? address).endpoint;
  const onWaiting = (): void => {
    process.stderr.write(`Listening on ${gatewayUrl}, waiting for the database at ${databaseUrl} …\n`);
  };
  const [demo] = await Promise.all([prepareDatabase(address, settings, onWaiting, stopping.signal), handlers.promise]);
  demoKey = demo.key;
  process.stdout.write(
    banner({
      gatewayUrl,
      databaseUrl,
      databaseKind: database ? `${database.engine}, ${settings.dataDirectory ?? 'in memory'}` : 'external',
      ...demo,
    }),
  );
}

async function listen({ server }: GatewayServer, port: number): Promise<number> {
  try {
    server.listen(port, HOST);
    await once(server, 'listening');
  } catch (error) {
    throw portError('PORT', port, error);
  }
  return (server.address() as AddressInfo).port;
}

async function databaseAddress(settings: LocalSettings): Promise<DatabaseAddress> {
  if (settings.database.kind === 'external') return settings.database.address;
  database = await startGuardedDatabase(chooseEngine(), settings.database.port, settings.dataDirectory);
  void database.ended.then(() => {
    if (stopping.signal.aborted) return;
    process.stderr.write('The database ended by itself; stopping.\n');
    void shutDown(1);
  });
  return database.address;
}

/** Sets what Lambda would set: the functions read it when they are loaded. */
function enterFunctionEnvironment({ functionEnvironment }: LocalSettings, address: DatabaseAddress): void {
  Object.assign(process.env, functionEnvironment, { AWS_ENDPOINT_URL_DYNAMODB: address.endpoint });
  if (!address.credentials) return;
  // A loopback database gets these and no others: the caller's own stay at home.
  for (const name of CALLERS_OWN) Reflect.deleteProperty(process.env, name);
  const { accessKeyId, secretAccessKey } = address.credentials;
  Object.assign(process.env, {
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_REGION: address.region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  });
}

/** The entry points that are deployed, as they are. */
async function loadHandlers(): Promise<Handlers> {
  const [health, metered] = await Promise.all([
    import('../functions/health/handler.ts'),
    import('../functions/metered/handler.ts'),
  ]);
  return { health: health.handler, metered: metered.handler } as unknown as Handlers;
}

/**
 * Finishes the requests in flight, then ends the database. Further signals change nothing: a Ctrl-C under npm comes
 * twice, once by the terminal and once by npm.
 */
function stop(): void {
  if (!stopping.signal.aborted) void shutDown(0);
}

async function shutDown(exitCode: number): Promise<void> {
  stopping.abort();
  await gateway?.drain(DRAIN_TIMEOUT_MS);
  await database?.stop();
  process.exit(exitCode);
}

/** Under npm, stops when npm is gone: killed with -9 it cannot pass the signal on. */
function stopWithParent(): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop();
  }, PARENT_POLL_INTERVAL_MS).unref();
}
