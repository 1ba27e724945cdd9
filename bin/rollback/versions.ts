import {
  GetAliasCommand,
  ListVersionsByFunctionCommand,
  UpdateAliasCommand,
  type FunctionConfiguration,
  type LambdaClient,
} from '@aws-sdk/client-lambda';
import { PORTAL_ENVIRONMENT } from '../../functions/wiring.ts';

/** The alias that the API calls; CodeDeploy moves it from version to version. */
const ALIAS = 'live';

/** The versions of the alias. */
export interface LiveVersion {
  /** The version with all or most of the requests. */
  readonly version: string;
  /** During a canary: the new version, and its share of the requests. */
  readonly canary: { readonly version: string; readonly percent: number } | undefined;
  /** The alias's revision; it changes when the alias is moved. */
  readonly revisionId: string | undefined;
}

/** A version that was deployed. */
export interface Version {
  readonly version: string;
  /** The time of its deployment, as AWS writes it. */
  readonly deployedAt: string;
  /** Whether nobody could sign in with it: the user pool's client of this portal version does not exist any more. */
  readonly isClientGone: boolean;
}

/** Reads the versions of a function's alias. */
export async function readLive(client: LambdaClient, functionName: string): Promise<LiveVersion> {
  const alias = await client.send(new GetAliasCommand({ FunctionName: functionName, Name: ALIAS }));
  const [canary] = Object.entries(alias.RoutingConfig?.AdditionalVersionWeights ?? {});
  return {
    version: alias.FunctionVersion ?? '',
    canary: canary && { version: canary[0], percent: Math.round(canary[1] * 100) },
    revisionId: alias.RevisionId,
  };
}

/** Every kept version of a function, the oldest first. */
export async function listVersions(client: LambdaClient, functionName: string): Promise<Version[]> {
  const configurations: FunctionConfiguration[] = [];
  let Marker: string | undefined;
  do {
    const page = await client.send(new ListVersionsByFunctionCommand({ FunctionName: functionName, Marker }));
    configurations.push(...(page.Versions ?? []));
    Marker = page.NextMarker;
  } while (Marker !== undefined);
  // The configuration of the last deployment, whose client is the only one that exists.
  const latest = poolClientOf(configurations.find(({ Version: version }) => version === '$LATEST'));
  return configurations
    .flatMap((configuration) => {
      const { Version: version = '', LastModified: deployedAt = '' } = configuration;
      if (!/^\d+$/.test(version)) return [];
      const client = poolClientOf(configuration);
      return [{ version, deployedAt, isClientGone: client !== undefined && client !== latest }];
    })
    .sort((a, b) => Number(a.version) - Number(b.version));
}

/**
 * The user pool's client of a version, with its secret; undefined: none. A deployment makes both, and deletes the old
 * ones. A client at another provider belongs to the team, and may exist for longer.
 */
function poolClientOf(configuration: FunctionConfiguration | undefined): string | undefined {
  const variables = configuration?.Environment?.Variables ?? {};
  const { cognitoOrigin, oidcClientId, oidcClientSecretArn } = PORTAL_ENVIRONMENT;
  if (!variables[cognitoOrigin]) return undefined;
  return `${variables[oidcClientId]} ${variables[oidcClientSecretArn]}`;
}

/** Moves all requests to a version. Throws an error of one line when the alias was moved since it was read. */
export async function moveLive(
  client: LambdaClient,
  functionName: string,
  version: string,
  { revisionId }: LiveVersion,
): Promise<void> {
  const command = new UpdateAliasCommand({
    FunctionName: functionName,
    Name: ALIAS,
    FunctionVersion: version,
    RoutingConfig: { AdditionalVersionWeights: {} },
    RevisionId: revisionId,
  });
  try {
    await client.send(command);
  } catch (error) {
    const isStale = error instanceof Error && error.name === 'PreconditionFailedException';
    if (!isStale) throw error;
    throw new Error('live was moved by somebody else meanwhile; nothing was changed. Run this again.', {
      cause: error,
    });
  }
}
