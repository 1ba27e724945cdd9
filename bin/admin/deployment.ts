import {
  DEFAULT_QUOTA_UNITS,
  DEFAULT_RPM,
  DEFAULT_USAGE_RETENTION_DAYS,
  ENVIRONMENT,
} from '../../functions/shared/names.ts';
import { portalStackNameOf, type Stage } from '../../lib/stack-names.ts';
import { readKeyTagSecrets, type KeyTagSecrets } from '../../functions/shared/credentials/api-key.ts';
import { keyPrefixesIn, KeyPrefixesText, type KeyPrefixes } from '../../functions/shared/settings/key-prefixes.ts';
import { readNamed } from '../../functions/shared/settings/named-value.ts';
import { readQuotaPeriod, type QuotaPeriod } from '../../functions/shared/time.ts';
import type { TableNames } from '../../functions/shared/store/tables.ts';
import {
  isLocalDatabase,
  localAddresses,
  LOCAL_ACTOR,
  LOCAL_KEY_TAG_SECRETS,
  LOCAL_TABLES,
  type Environment,
} from '../../local/settings.ts';
import { callerArn, readSecret, readStack, readStackOf } from './aws.ts';
import { readLimit, readQuota, readRpm } from './values.ts';

/** The origins of a gateway and of its portal, if it has one. */
interface Addresses {
  readonly gatewayUrl: string;
  readonly portalUrl: string | null;
}

/** The gateway that a command works on: its tables and its settings. */
export interface Deployment {
  /** Its place, for a question: `on this machine`, `in PROD`. */
  readonly place: string;
  readonly tables: TableNames;
  /** Where callers and people find it; rejects with an error of one line when that is unknown. */
  readonly addresses: () => Promise<Addresses>;
  /** Throws an error of one line when it is not certain. Few commands need it, and the others work without it. */
  readonly quotaPeriod: () => QuotaPeriod;
  /** Requests per minute of a new key. */
  readonly defaultRpm: number;
  /** Request units per period of a new project. */
  readonly defaultQuota: number | 'none';
  /** How long charged usage events are kept. */
  readonly usageRetentionDays: number;
  /**
   * The actor of a change, for the audit: the ARN of the AWS identity, or `local` on a database of this machine, which
   * has no identities. Read when it is first needed, and once. Rejects with an error of one line.
   */
  readonly actor: () => Promise<string>;
  /**
   * The secrets under which new keys are tagged. Rejects with an error of one line when they cannot be read; few
   * commands need them.
   */
  readonly keyTagSecrets: () => Promise<KeyTagSecrets>;
  /** Those of its keys: new ones have the first. */
  readonly keyPrefixes: KeyPrefixes;
}

/** The gateway of `npm start`. */
export const localDeployment = (environment: Environment): Deployment => ({
  place: 'on this machine',
  addresses: () => new Promise((resolve) => resolve(localAddresses(environment))),
  ...ofEnvironment(environment, LOCAL_TABLES),
  actor: localActor,
  keyTagSecrets: () => Promise.resolve(LOCAL_KEY_TAG_SECRETS),
});

/** The gateway whose tables are in the environment. Throws an error of one line when they are not. */
export function namedDeployment(environment: Environment): Deployment {
  const read = (name: string): string => {
    const value = environment[name];
    if (!value) throw new Error(`${name} is not set. Give the table's name, or use --stage or --local.`);
    return value;
  };
  const tables = { gateway: read(ENVIRONMENT.gatewayTable), usage: read(ENVIRONMENT.usageTable) };
  return {
    place: `in table ${tables.gateway}`,
    addresses: () => Promise.reject(new Error('Where this gateway is, only --stage or --local can tell.')),
    ...ofEnvironment(environment, tables),
    actor: isLocalDatabase(environment.AWS_ENDPOINT_URL_DYNAMODB) ? localActor : awsActor(),
    keyTagSecrets: () => new Promise((resolve) => resolve(namedKeyTagSecrets(environment))),
  };
}

function namedKeyTagSecrets(environment: Environment): KeyTagSecrets {
  const text = environment[ENVIRONMENT.keyTagSecrets];
  if (text) return readKeyTagSecrets(ENVIRONMENT.keyTagSecrets, text);
  if (isLocalDatabase(environment.AWS_ENDPOINT_URL_DYNAMODB)) return LOCAL_KEY_TAG_SECRETS;
  throw new Error(`${ENVIRONMENT.keyTagSecrets} is not set. Give the gateway's, or use --stage or --local.`);
}

/** The gateway of a deployed stage, by its stack's outputs. Throws an error of one line without them. */
export async function stageDeployment(stage: Stage, environment: Environment): Promise<Deployment> {
  const { output, has } = await readStackOf(stage);
  const quotaPeriod = readQuotaPeriod('QuotaPeriod', output('QuotaPeriod'));
  return {
    place: `in ${stage.toUpperCase()}`,
    addresses: async () => {
      const portal = await readStack(portalStackNameOf(stage));
      return {
        gatewayUrl: output('ApiUrl'),
        portalUrl: portal?.output('PortalUrl') ?? null,
      };
    },
    // A version without the setting makes and knows keys of the default alone.
    keyPrefixes: keyPrefixesIn(
      readNamed('KeyPrefixes', has('KeyPrefixes') ? output('KeyPrefixes') : '', KeyPrefixesText),
    ),
    tables: { gateway: output('GatewayTableName'), usage: output('UsageTableName') },
    quotaPeriod: () => agreed(quotaPeriod, environment[ENVIRONMENT.quotaPeriod]),
    defaultRpm: readOutput('DefaultRpm', output('DefaultRpm'), readRpm),
    defaultQuota: readOutput('DefaultQuotaUnits', output('DefaultQuotaUnits'), readQuota),
    usageRetentionDays: readOutput('UsageRetentionDays', output('UsageRetentionDays'), readLimit),
    // A stage is in AWS, also when its database is reached through a tunnel.
    actor: awsActor(),
    keyTagSecrets: async () => {
      const secretArn = output('KeyTagSecretArn');
      const text = await readSecret(secretArn, output('KeyTagSecretVersion'));
      return readKeyTagSecrets(`The secret ${secretArn}`, text);
    },
  };
}

const localActor = (): Promise<string> => Promise.resolve(LOCAL_ACTOR);

function awsActor(): Deployment['actor'] {
  let asked: Promise<string> | undefined;
  return () => (asked ??= callerArn());
}

const ofEnvironment = (
  environment: Environment,
  tables: TableNames,
): Omit<Deployment, 'place' | 'addresses' | 'actor' | 'keyTagSecrets'> => ({
  tables,
  keyPrefixes: keyPrefixesIn(readNamed(ENVIRONMENT.keyPrefixes, environment[ENVIRONMENT.keyPrefixes], KeyPrefixesText)),
  quotaPeriod: () => readQuotaPeriod(ENVIRONMENT.quotaPeriod, environment[ENVIRONMENT.quotaPeriod]),
  defaultRpm: DEFAULT_RPM,
  defaultQuota: DEFAULT_QUOTA_UNITS,
  usageRetentionDays: DEFAULT_USAGE_RETENTION_DAYS,
});

/** The stack is right. But if the variable differs, the person may mean another stage than the named one. */
function agreed(deployed: QuotaPeriod, variable: string | undefined): QuotaPeriod {
  if (variable && variable !== deployed) {
    throw new Error(`${ENVIRONMENT.quotaPeriod} does not agree with the stage, which has ${deployed}: unset it.`);
  }
  return deployed;
}

/** Reads an output like an option. An invalid output is no usage error of the command. */
function readOutput<T>(name: string, text: string, read: (text: string) => T): T {
  try {
    return read(text);
  } catch (error) {
    throw new Error(`The stack's output ${name} cannot be used. ${(error as Error).message}`, { cause: error });
  }
}
