import {
  GetAliasCommand,
  ListVersionsByFunctionCommand,
  UpdateAliasCommand,
  type FunctionConfiguration,
  type LambdaClient,
} from '@aws-sdk/client-lambda';
import { PORTAL_ENVIRONMENT } from '../../functions/wiring.ts';

/** What the API calls; CodeDeploy moves it from version to version. */
const ALIAS = 'live';

/** Where the alias is. */
export interface LiveVersion {
  /** The version that has the requests, or most of them. */
  readonly version: string;
  /** While a canary runs: the new version, and its share of the requests. */
  readonly canary: { readonly version: string; readonly percent: number } | undefined;
  /** Of the alias; another one when it was moved. */
  readonly revisionId: string | undefined;
}

/** A version that was deployed. */
export interface Version {
  readonly version: string;
  /** When, as AWS writes it. */
  readonly deployedAt: string;
  /** Nobody could sign in by it: of the portal, a version whose client of the user pool is gone. */
  readonly isClientGone: boolean;
}

/** Reads where the alias of a function is. */
export async function readLive(client: LambdaClient, functionName: string): Promise<LiveVersion> {
  const alias = await client.send(new GetAliasCommand({ FunctionName: functionName, Name: ALIAS }));
  const [canary] = Object.entries(alias.RoutingConfig?.AdditionalVersionWeights ?? {});
  return {
    version: alias.FunctionVersion ?? '',
    canary: canary && { version: canary[0], percent: Math.round(canary[1] * 100) },
    revisionId: alias.RevisionId,
  };
}

/** Every version of a function that is kept, the oldest first. */
export async function listVersions(client: LambdaClient, functionName: string): Promise<Version[]> {
  const configurations: FunctionConfiguration[] = [];
  let Marker: string | undefined;
  do {
    const page = await client.send(new ListVersionsByFunctionCommand({ FunctionName: functionName, Marker }));
    configurations.push(...(page.Versions ?? []));
    Marker = page.NextMarker;
  } while (Marker !== undefined);
  // What the last deployment has set; its client is the only one that there is.
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
 * The client of the user pool that a version signs people in by, with its secret; undefined: none. A deployment makes both
 * and takes those before away; a client at a provider of the team's own is the team's, and may be there for longer.
 */
function poolClientOf(configuration: FunctionConfiguration | undefined): string | undefined {
  const variables = configuration?.Environment?.Variables ?? {};
  const { cognitoOrigin, oidcClientId, oidcClientSecretArn } = PORTAL_ENVIRONMENT;
  if (!variables[cognitoOrigin]) return undefined;
  return `${variables[oidcClientId]} ${variables[oidcClientSecretArn]}`;
}

/** Gives all requests to a version. Throws an error of one line when the alias was moved since it was read. */
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
