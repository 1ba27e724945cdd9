import { isDeepStrictEqual } from 'node:util';
import {
  CloudFormationClient,
  GetTemplateCommand,
  paginateListStackResources,
  type CloudFormationClientConfig,
} from '@aws-sdk/client-cloudformation';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import { readLive, type LiveVersion } from '../rollback/versions.ts';
import { ofType, type Properties, type Resources, type SynthesisedStack } from './assembly.ts';

/** A function whose alias `live` is not at its stack's version, for example after a rollback. */
export interface MovedFunction {
  readonly stackName: string;
  readonly functionName: string;
  /** The version of its stack. */
  readonly deployed: string;
  readonly live: LiveVersion;
  /**
   * The effect of a deployment on the alias: none; it moves to a new version; or, through another change of the alias,
   * it is put back to the stack's version.
   */
  readonly change: 'none' | 'moves' | 'putsBack';
}

/** Finds the functions of a stack whose alias is at another version, or at two. Rejects as the SDK does. */
export async function findMoved(
  { name: stackName, resources }: SynthesisedStack,
  lambda: LambdaClient,
  settings: CloudFormationClientConfig,
): Promise<MovedFunction[]> {
  const client = new CloudFormationClient(settings);
  try {
    const found: (Omit<MovedFunction, 'stackName' | 'change'> & { readonly versionId: string })[] = [];
    for (const [versionId, arn] of await versionsOf(client, stackName)) {
      const [, functionName = '', deployed = ''] = /:function:([^:]+):(\d+)$/.exec(arn) ?? [];
      const live = await readLive(lambda, functionName);
      if (live.version !== deployed || live.canary) found.push({ versionId, functionName, deployed, live });
    }
    if (found.length === 0) return [];
    const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName: stackName }));
    const { Resources: before = {} } = JSON.parse(TemplateBody) as { Resources?: Resources };
    return found.map(({ versionId, ...moved }) => {
      const change = changeOf(versionId, before, resources);
      return { stackName, ...moved, change };
    });
  } finally {
    client.destroy();
  }
}

/** The versions that a stack deployed last, one for each function: their ARNs by logical id. */
async function versionsOf(client: CloudFormationClient, StackName: string): Promise<Map<string, string>> {
  const versions = new Map<string, string>();
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName })) {
    for (const { ResourceType, ResourceStatus, LogicalResourceId, PhysicalResourceId } of StackResourceSummaries) {
      const isThere = ResourceType === 'AWS::Lambda::Version' && !ResourceStatus?.startsWith('DELETE');
      if (isThere && LogicalResourceId && PhysicalResourceId) versions.set(LogicalResourceId, PhysicalResourceId);
    }
  }
  return versions;
}

function changeOf(versionId: string, before: Resources, after: Resources): MovedFunction['change'] {
  const [id = '', alias] = ofType(before, 'AWS::Lambda::Alias').find(([, it]) => versionOf(it) === versionId) ?? [];
  const next = after[id]?.Properties;
  if (!next || isDeepStrictEqual(alias, next)) return 'none';
  return versionOf(next) === versionId ? 'putsBack' : 'moves';
}

/** The logical id of an alias's version. */
const versionOf = ({ FunctionVersion }: Properties): string | undefined =>
  (FunctionVersion as { readonly 'Fn::GetAtt'?: readonly string[] } | undefined)?.['Fn::GetAtt']?.[0];
