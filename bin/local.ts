/** `npm start`: gateway and portal on one machine. Settings: docs/contributing.md, "Settings of npm start". */
import { PORTAL_ENVIRONMENT } from '../functions/shared/names.ts';
import { knowKeyPrefixes } from '../functions/shared/credentials/credential-text.ts';
import { devNull } from 'node:os';
import { inspect } from 'node:util';
import { SettingsError } from '../functions/shared/settings/named-value.ts';
import { banner } from '../local/banner.ts';
import type { PreparedDemo } from '../local/demo.ts';
import { clockPages } from '../local/clock.ts';
import { openDataDirectory } from '../local/private-file.ts';
import { docs } from '../local/docs.ts';
import { startHelp } from '../local/help.ts';
import { chooseEngine } from '../local/engines.ts';
import { startGuardedDatabase, type GuardedDatabase } from '../local/guarded-database.ts';
import { gatewayServer, type FunctionServer, type Handler, type Handlers } from '../local/http-server.ts';
import { listen } from '../local/listening.ts';
import { startNotices, type LocalNotices } from '../local/notices.ts';
import { startPortal, type LocalPortal } from '../local/portal.ts';
import { prepareDatabase } from '../local/prepare.ts';
import { shortenRequests } from '../local/request-lines.ts';
import {
  localSettings,
  portError,
  type DatabaseAddress,
  type Environment,
  type LocalSettings,
} from '../local/settings.ts';

const HOST = '127.0.0.1';
/** Longer than a request's deadline of 4 s. With the database's own stop it is within 5 s. */
const DRAIN_TIMEOUT_MS = 4_400;
const PARENT_POLL_INTERVAL_MS = 500;
/** Variables that lead the SDK away from a loopback database, in addition to the configuration files. */
const CALLERS_OWN = [
  'AWS_PROFILE',
  'AWS_SESSION_TOKEN',
  'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS',
  'AWS_USE_FIPS_ENDPOINT',
  'AWS_USE_DUALSTACK_ENDPOINT',
];

const stopping = new AbortController();
let gateway: FunctionServer | undefined;
let portal: LocalPortal | undefined;
let notices: LocalNotices | undefined;
let database: GuardedDatabase | undefined;
let filling: Promise<void> | undefined;

// The reader of the banner may close the pipe; the gateway continues.
process.stdout.on('error', () => undefined);
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
stopWithParent();

try {
  const [argument] = process.argv.slice(2);
  if (argument === '--help' || argument === '-h') process.stdout.write(startHelp());
  else if (argument === undefined) await start(localSettings(process.env));
  else throw new SettingsError('npm start takes variables alone: see npm start -- --help.');
} catch (error) {
  if (!stopping.signal.aborted) {
    // An invalid setting, or a file or directory that the system refused: one line is enough.
    const isKnown = error instanceof SettingsError || (error instanceof Error && 'syscall' in error);
    process.stderr.write(isKnown ? `${error.message}\n` : `${inspect(error)}\n`);
    await shutDown(1);
  }
}

async function start(settings: LocalSettings): Promise<void> {
  const { dataDirectory, logFormat, keyPrefixes } = settings;
  knowKeyPrefixes(keyPrefixes);
  if (logFormat === 'text') shortenRequests(process.stdout);
  const handlers = Promise.withResolvers<Handlers>();
  const portalHandler = Promise.withResolvers<Handler>();
  const isInMemory = settings.database.kind === 'own' && dataDirectory === undefined;
  const clock = clockPages(isInMemory, (byMs) => notices?.moveClock(byMs));
  const documents = docs(() => portal?.origin);
  gateway = gatewayServer(handlers.promise, (request) => clock(request) ?? documents(request));
  if (dataDirectory !== undefined) openDataDirectory(dataDirectory);
  const port = await listen(gateway.server, settings.port).catch((error: unknown) => {
    throw portError('PORT', settings.port, error);
  });
  const gatewayUrl = `http://${HOST}:${port}`;
  if (settings.portal) {
    const { [PORTAL_ENVIRONMENT.supportUrl]: supportUrl } = settings.functionEnvironment;
    const options = { dataDirectory, gatewayUrl, supportUrl, keyPrefixes };
    portal = await startPortal(settings.portal, portalHandler.promise, options);
  }
  const address = await databaseAddress(settings);
  // Of a database on another machine others are told.
  if (settings.portal && address.credentials) notices = await startNotices(settings.portal.mailboxPort);
  const { functionEnvironment } = settings;
  enterFunctionEnvironment(
    { ...functionEnvironment, ...portal?.functionEnvironment, ...notices?.functionEnvironment },
    address,
  );
  handlers.resolve(loadHandlers());
  // The portal stores the sums that it makes. So it waits some seconds, until the demo data of the past are complete.
  // Notices begin after that too, so nobody gets notices of the past.
  const filled = Promise.withResolvers<unknown>();
  const portalHandlerLoaded = portal && loadPortalHandler();
  if (portalHandlerLoaded) portalHandler.resolve(filled.promise.then(() => portalHandlerLoaded));
  const databaseUrl = (database?.guardedAddress ?? address).endpoint;
  const onWaiting = (): void => {
    process.stderr.write(`Listening on ${gatewayUrl}, waiting for the database at ${databaseUrl} …\n`);
  };
  const [demo] = await Promise.all([
    prepareDatabase(address, settings, onWaiting, stopping.signal),
    handlers.promise,
    ...(portal ? [portalHandlerLoaded, portal.ready] : []),
  ]);
  filling = fill(address, settings, demo).then(() => notices?.begin(address, settings.tables.gateway));
  filled.resolve(filling);
  process.stdout.write(
    banner({
      gatewayUrl,
      portalOrigin: portal?.origin,
      mailboxOrigin: notices?.mailboxOrigin,
      databaseUrl,
      settings,
      databaseKind: database ? `${database.engine}, ${dataDirectory ?? 'in memory'}` : 'external',
      ...demo,
    }),
  );
}

/** Fills a new demo account. A failure is reported, and stops nothing else. */
async function fill(address: DatabaseAddress, settings: LocalSettings, { made }: PreparedDemo): Promise<void> {
  if (settings.demo === 'empty' || made === undefined) return;
  const { fillLocal } = await import('../local/demo-data/fill.ts');
  await fillLocal(address, settings, made, stopping.signal).catch((error: unknown) => {
    if (!stopping.signal.aborted) process.stderr.write(`The demo data are not complete: ${inspect(error)}\n`);
  });
}

async function databaseAddress(settings: LocalSettings): Promise<DatabaseAddress> {
  if (settings.database.kind === 'external') return settings.database.address;
  database = await startGuardedDatabase(chooseEngine(), settings.database.port, settings.dataDirectory, (call) =>
    notices?.tell(call),
  );
  void database.ended.then(() => {
    if (stopping.signal.aborted) return;
    process.stderr.write('The database ended by itself; stopping.\n');
    void shutDown(1);
  });
  return database.address;
}

/** Sets the variables that Lambda would set: the functions read them when they are loaded. */
function enterFunctionEnvironment(environment: Environment, address: DatabaseAddress): void {
  Object.assign(process.env, environment, { AWS_ENDPOINT_URL_DYNAMODB: address.endpoint });
  if (!address.credentials) return;
  // A loopback database gets these credentials and no others.
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

/** The deployed entry points, unchanged. */
async function loadHandlers(): Promise<Handlers> {
  const [health, metered] = await Promise.all([
    import('../functions/gateway/health.ts'),
    import('../functions/gateway/metered.ts'),
  ]);
  return { health: health.handler, metered: metered.handler } as unknown as Handlers;
}

/** As the gateway's; separate, so that a gateway without a portal does not load it. */
async function loadPortalHandler(): Promise<Handler> {
  const { handler } = await import('../functions/portal/handler.ts');
  return handler;
}

/**
 * Finishes the requests in flight, then stops the database. Further signals do nothing: under npm a Ctrl-C arrives
 * twice, from the terminal and from npm.
 */
function stop(): void {
  if (!stopping.signal.aborted) void shutDown(0);
}

async function shutDown(exitCode: number): Promise<void> {
  stopping.abort();
  const drainedBy = performance.now() + DRAIN_TIMEOUT_MS;
  await Promise.all([gateway?.drain(DRAIN_TIMEOUT_MS), portal?.drain(DRAIN_TIMEOUT_MS), filling]);
  // The last changes still get their notices, if there is time.
  await notices?.stop(drainedBy - performance.now());
  await database?.stop();
  process.exit(exitCode);
}

/** Under npm, stops when npm is gone: after a kill -9 npm cannot pass the signal on. */
function stopWithParent(): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop();
  }, PARENT_POLL_INTERVAL_MS).unref();
}
