import { join, resolve } from 'node:path';
import * as v from 'valibot';
import { readKeyTagSecrets, type KeyTagSecrets } from '../functions/shared/credentials/api-key.ts';
import { readNamed, SettingsError, wholeNumber } from '../functions/shared/settings/named-value.ts';
import { readQuotaPeriod, type QuotaPeriod } from '../functions/shared/time.ts';
import { ClientPackagesText } from '../functions/shared/settings/client-packages.ts';
import { keyPrefixesIn, KeyPrefixesText, type KeyPrefixes } from '../functions/shared/settings/key-prefixes.ts';
import { SupportUrl } from '../functions/shared/settings/support-url.ts';
import type { TableNames } from '../functions/shared/store/tables.ts';
import { DEFAULT_LOCAL_DEV_ORIGIN, ENVIRONMENT, PORTAL_ENVIRONMENT } from '../functions/shared/names.ts';

/** The ports of `npm start`, where `--local` of the CLI looks for it. */
export const DEFAULT_PORTS = { gateway: 3000, portal: 5173, identity: 5174, mailbox: 5175, dynamodb: 8000 } as const;
const MAX_PORT = 65_535;
const Port = wholeNumber(0, MAX_PORT, `must be a port number from 0 to ${MAX_PORT}.`);
const Switch = v.optional(v.picklist(['on', 'off'], 'must be on or off.'), 'on');
const LogFormat = v.optional(v.picklist(['text', 'json'], 'must be text or json.'), 'text');
const Demo = v.optional(v.picklist(['full', 'empty'], 'must be full or empty.'), 'full');
const NO_ENDPOINT = 'must be a URL such as http://127.0.0.1:8000.';
const Endpoint = v.pipe(v.string(), v.regex(/^https?:\/\/./i, NO_ENDPOINT), v.url(NO_ENDPOINT));
/** The AWS SDK's own variable. */
export const ENDPOINT_VARIABLE = 'AWS_ENDPOINT_URL_DYNAMODB';
/** The address of all local servers. */
export const LOOPBACK = '127.0.0.1';
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether the host of a URL is this machine. */
export const isLoopbackHost = (hostname: string): boolean => LOOPBACK_HOST.test(hostname);

/** Whether the address of a database, as the AWS SDK takes it, is on this machine. */
export const isLocalDatabase = (endpoint: string | undefined): boolean =>
  endpoint !== undefined && URL.canParse(endpoint) && isLoopbackHost(new URL(endpoint).hostname);

/** The actor of changes on a local database, which has no identities. */
export const LOCAL_ACTOR = 'local';

/** The secret for key tags on a local database. It protects nothing, and everybody may know it. */
export const LOCAL_KEY_TAG_SECRET = 'this-secret-is-for-local-databases-only';
/** The same secret, parsed. */
export const LOCAL_KEY_TAG_SECRETS: KeyTagSecrets = readKeyTagSecrets('LOCAL_KEY_TAG_SECRET', LOCAL_KEY_TAG_SECRET);

export type Environment = Readonly<Record<string, string | undefined>>;

/** The address of a local database, and how to reach it. */
export interface DatabaseAddress {
  readonly endpoint: string;
  /** Absent: the AWS SDK finds them as usual. */
  readonly region?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly useFipsEndpoint?: boolean;
  readonly useDualstackEndpoint?: boolean;
}

/** The settings of `npm start`. */
export interface LocalSettings {
  readonly port: number;
  /** A running database, or the port to start one on. */
  readonly database:
    { readonly kind: 'external'; readonly address: DatabaseAddress } | { readonly kind: 'own'; readonly port: number };
  readonly tables: TableNames;
  readonly keyTagSecrets: KeyTagSecrets;
  readonly keyPrefixes: KeyPrefixes;
  /** The directory of the data; undefined: in memory. */
  readonly dataDirectory: string | undefined;
  readonly quotaPeriod: QuotaPeriod;
  /** Whether a new demo account is given data. Never in a database that others may use. */
  readonly demo: 'full' | 'empty';
  /** How requests are logged: a short line each, or as the functions log them. */
  readonly logFormat: 'text' | 'json';
  /** Ports of the portal and of its OpenID provider; undefined: neither runs. */
  readonly portal: { readonly port: number; readonly identityPort: number; readonly mailboxPort: number } | undefined;
  /** The variables of the functions. */
  readonly functionEnvironment: Environment;
}

type PortSetting = 'PORT' | 'PORTAL_PORT' | 'IDENTITY_PORT' | 'MAILBOX_PORT' | 'DYNAMODB_PORT';

/** The error of a port that cannot be used, with the name of its setting. */
export function portError(name: PortSetting, port: number, cause: unknown): SettingsError {
  const { code } = cause as NodeJS.ErrnoException;
  const reason = code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${code})`;
  return new SettingsError(`Port ${port} ${reason}. Set ${name} to a free one.`, { cause });
}

/** Names of the tables on a local database. */
export const LOCAL_TABLES: TableNames = { gateway: 'Gateway', usage: 'Usage' };

/** Reads the settings of `npm start`. Throws {@link SettingsError}. */
export function localSettings(environment: Environment): LocalSettings {
  const endpoint = environment[ENDPOINT_VARIABLE];
  const external = endpoint ? externalAddress(endpoint) : undefined;
  const tables = external ? externalTables(environment) : LOCAL_TABLES;
  const keyTagSecrets = external ? externalKeyTagSecrets(environment) : LOCAL_KEY_TAG_SECRET;
  const quotaPeriod = readQuotaPeriod(ENVIRONMENT.quotaPeriod, environment[ENVIRONMENT.quotaPeriod]);
  const keyPrefixes = keyPrefixesIn(
    readNamed(ENVIRONMENT.keyPrefixes, environment[ENVIRONMENT.keyPrefixes], KeyPrefixesText),
  );
  return {
    port: readPort(environment, 'PORT', DEFAULT_PORTS.gateway),
    database: external
      ? { kind: 'external', address: external }
      : { kind: 'own', port: readPort(environment, 'DYNAMODB_PORT', DEFAULT_PORTS.dynamodb) },
    tables,
    keyTagSecrets: readKeyTagSecrets(ENVIRONMENT.keyTagSecrets, keyTagSecrets),
    keyPrefixes,
    portal:
      readNamed('PORTAL', environment.PORTAL, Switch) === 'off'
        ? undefined
        : {
            port: readPort(environment, 'PORTAL_PORT', DEFAULT_PORTS.portal),
            identityPort: readPort(environment, 'IDENTITY_PORT', DEFAULT_PORTS.identity),
            mailboxPort: readPort(environment, 'MAILBOX_PORT', DEFAULT_PORTS.mailbox),
          },
    quotaPeriod,
    demo: external ? 'empty' : readNamed('DEMO', environment.DEMO, Demo),
    logFormat: readNamed('LOG_FORMAT', environment.LOG_FORMAT, LogFormat),
    dataDirectory: environment.DATA_DIR ? resolve(environment.DATA_DIR) : undefined,
    functionEnvironment: {
      [ENVIRONMENT.gatewayTable]: tables.gateway,
      [ENVIRONMENT.usageTable]: tables.usage,
      [ENVIRONMENT.keyTagSecrets]: keyTagSecrets,
      [ENVIRONMENT.keyPrefixes]: keyPrefixes.join(','),
      [ENVIRONMENT.quotaPeriod]: quotaPeriod,
      [PORTAL_ENVIRONMENT.supportUrl]: readOptional(environment, PORTAL_ENVIRONMENT.supportUrl, SupportUrl),
      [PORTAL_ENVIRONMENT.clientPackages]: readOptional(
        environment,
        PORTAL_ENVIRONMENT.clientPackages,
        ClientPackagesText,
      ),
      [ENVIRONMENT.localDevOrigin]: environment[ENVIRONMENT.localDevOrigin] ?? DEFAULT_LOCAL_DEV_ORIGIN,
      // Metrics are for CloudWatch. Here they would only be additional log lines.
      POWERTOOLS_METRICS_DISABLED: 'true',
    },
  };
}

/** The address of the database that `npm start` runs, or would run, on this machine. */
export const localAddress = (port: number, host = LOOPBACK): DatabaseAddress => ({
  endpoint: `http://${host}:${port}`,
  region: 'us-east-1',
  // The local engines accept any credentials without a hyphen or an underscore.
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  // A local database has no such endpoint, so the environment's setting is ignored.
  useFipsEndpoint: false,
  useDualstackEndpoint: false,
});

/** The address that `--local` means: `DYNAMODB_PORT`, whatever else the environment says. */
export const localAddressFrom = (environment: Environment): DatabaseAddress =>
  localAddress(readPort(environment, 'DYNAMODB_PORT', DEFAULT_PORTS.dynamodb));

/** Whether `--local` of the CLI can mean the database of these settings: its place, its tables and its secrets. */
export const isLocalOption = ({ database, tables, functionEnvironment }: LocalSettings): boolean =>
  database.kind === 'own' ||
  (/^http:/i.test(database.address.endpoint) &&
    isLocalDatabase(database.address.endpoint) &&
    tables.gateway === LOCAL_TABLES.gateway &&
    tables.usage === LOCAL_TABLES.usage &&
    functionEnvironment[ENVIRONMENT.keyTagSecrets] === LOCAL_KEY_TAG_SECRET);

/** Where `npm start` with this environment serves gateway and portal. Throws {@link SettingsError}. */
export function localAddresses(environment: Environment) {
  const { port, portal } = localSettings(environment);
  return {
    gatewayUrl: `http://${LOOPBACK}:${port}`,
    // Always with this name: to a browser, `127.0.0.1` is another site.
    portalUrl: portal ? `http://localhost:${portal.port}` : null,
  };
}

/** The file that keeps the demo key across restarts, readable by its owner only. */
export const demoFile = (dataDirectory: string): string => join(dataDirectory, 'demo.json');

function externalAddress(endpoint: string): DatabaseAddress {
  readNamed(ENDPOINT_VARIABLE, endpoint, Endpoint);
  // For another host there are no defaults: guessed credentials or a guessed region would hide that a setting is
  // missing.
  return isLoopbackHost(new URL(endpoint).hostname) ? { ...localAddress(0), endpoint } : { endpoint };
}

const externalTables = (environment: Environment): TableNames => ({
  gateway: environment[ENVIRONMENT.gatewayTable] || LOCAL_TABLES.gateway,
  usage: environment[ENVIRONMENT.usageTable] || LOCAL_TABLES.usage,
});

/** Keys of another gateway are checked with its secrets. */
function externalKeyTagSecrets(environment: Environment): string {
  const given = environment[ENVIRONMENT.keyTagSecrets];
  if (given) return given;
  if (isLocalDatabase(environment[ENDPOINT_VARIABLE])) return LOCAL_KEY_TAG_SECRET;
  throw new SettingsError(
    `${ENVIRONMENT.keyTagSecrets} must be set to the secrets of the gateway that has this database.`,
  );
}

const readOptional = (
  environment: Environment,
  name: string,
  schema: v.GenericSchema<string | undefined, string | undefined>,
): string => readNamed(name, environment[name], schema) ?? '';

const readPort = (environment: Environment, name: PortSetting, otherwise: number): number =>
  Number(readNamed(name, environment[name], v.optional(Port, String(otherwise))));
