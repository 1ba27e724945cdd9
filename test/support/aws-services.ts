import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { mockClient } from 'aws-sdk-client-mock';
import type { CallerName } from './iam-proxy/callers.ts';
import type { OnCall } from './iam-proxy/judgement.ts';
import { isAllowed, policies, type Permission } from './iam.ts';

/** A service's refusal, with a name such as `ExpiredToken`. */
const refusal = (name: string, message: string): Error => Object.assign(new Error(message), { name });

/** The configuration of a client of the SDK, as far as it matters here. */
interface Config {
  readonly credentials: () => Promise<{ readonly accessKeyId: string }>;
  readonly region: () => Promise<string>;
}

/** Throws for a call that IAM would refuse to the role whose credentials the client has. */
async function judgeOf(resource: 'stack' | 'secret', action: string, onCall?: OnCall) {
  const allowed = await policies();
  const permission: Permission = { resource, action, leadingKeys: [] };
  return async (config: unknown): Promise<void> => {
    const caller = (await (config as Config).credentials()).accessKeyId as CallerName;
    const policy = allowed[caller];
    if (policy === 'anything') return;
    const isGranted = isAllowed(policy, permission);
    onCall?.(permission, isGranted, caller);
    if (!isGranted) throw refusal('AccessDeniedException', `${caller} is not authorized to perform: ${action}`);
  };
}

/** Plays `DescribeStacks` of CloudFormation in this process. */
export async function playCloudFormation(onCall?: OnCall) {
  const judge = await judgeOf('stack', 'cloudformation:DescribeStacks', onCall);
  const cloudFormation = {
    /** Outputs by the name of their stack. */
    stacks: new Map<string, Readonly<Record<string, string>>>(),
    /** The stacks that were requested. */
    asked: [] as string[],
    /** If set, every request is refused with this error code. */
    refusal: undefined as string | undefined,
  };
  const mock = mockClient(CloudFormationClient);
  mock.on(DescribeStacksCommand).callsFake(async ({ StackName: name }: { readonly StackName: string }, client) => {
    await judge(client().config);
    cloudFormation.asked.push(name);
    if (cloudFormation.refusal !== undefined) throw refusal(cloudFormation.refusal, 'You may not.');
    const outputs = cloudFormation.stacks.get(name);
    if (!outputs) throw refusal('ValidationError', `Stack with id ${name} does not exist`);
    const Outputs = Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
    const StackId = `arn:aws:cloudformation:us-east-1:123456789012:stack/${name}/0`;
    return { Stacks: [{ StackName: name, StackId, Outputs }] };
  });
  return Object.assign(cloudFormation, { close: () => mock.restore() });
}

/** Plays `GetCallerIdentity` of STS in this process. */
export function playSts() {
  const sts = {
    /** The number of requests. */
    asked: 0,
    /** The caller's ARN; undefined if every request is refused. */
    arn: undefined as string | undefined,
  };
  const mock = mockClient(STSClient);
  mock.on(GetCallerIdentityCommand).callsFake(() => {
    sts.asked++;
    if (sts.arn === undefined) throw refusal('ExpiredToken', 'It has expired.');
    return { Arn: sts.arn };
  });
  return Object.assign(sts, { close: () => mock.restore() });
}

/** A message of a batch, as it was sent. */
interface SentMessage {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId?: string;
  readonly DelaySeconds?: number;
}

/** Plays `SendMessageBatch` of SQS in this process, for any number of queues. */
export function playSqs(onSend?: () => void) {
  const sqs = {
    /** The batches that were sent, in order, also what was not taken of them. */
    batches: [] as { readonly queue: string; readonly messages: readonly SentMessage[] }[],
    /** Messages with this text in their body are not taken. */
    refused: undefined as string | undefined,
    /** Of messages that are not taken, whether the answer names them. */
    isSilent: false,
  };
  const send = ({ QueueUrl, Entries }: { readonly QueueUrl: string; readonly Entries: SentMessage[] }) => {
    onSend?.();
    sqs.batches.push({ queue: QueueUrl, messages: Entries });
    if (Entries.length > 10) throw refusal('TooManyEntriesInBatchRequest', 'There are more than 10.');
    const isLost = ({ MessageBody }: SentMessage): boolean => MessageBody.includes(sqs.refused ?? '\0');
    const Failed = Entries.filter(isLost).map(({ Id }) => ({ Id, Code: 'InternalError' }));
    return { Successful: Entries.filter((entry) => !isLost(entry)), ...(!sqs.isSilent && { Failed }) };
  };
  const mock = mockClient(SQSClient);
  mock.on(SendMessageBatchCommand).callsFake(send);
  return Object.assign(sqs, { close: () => mock.restore() });
}
export type TestSqs = ReturnType<typeof playSqs>;

/** Plays `GetSecretValue` of Secrets Manager in this process for the secret with this ARN, in its region alone. */
export async function playSecretsManager(arn: string, onCall?: OnCall) {
  const judge = await judgeOf('secret', 'secretsmanager:GetSecretValue', onCall);
  const manager = {
    /** Texts of the secret, by id or stage of their version. */
    versions: new Map<string, string>(),
    /** The versions that were requested. */
    asked: [] as string[],
  };
  const mock = mockClient(SecretsManagerClient);
  type Asked = Readonly<Partial<Record<'SecretId' | 'VersionId' | 'VersionStage', string>>>;
  mock.on(GetSecretValueCommand).callsFake(async ({ SecretId, VersionId, VersionStage }: Asked, client) => {
    const config = client().config as unknown as Config;
    await judge(config);
    const version = VersionId ?? VersionStage ?? '';
    manager.asked.push(version);
    const isThere = SecretId === arn && (await config.region()) === arn.split(':')[3];
    const SecretString = isThere ? manager.versions.get(version) : undefined;
    if (SecretString === undefined) throw refusal('ResourceNotFoundException', "Secrets Manager can't find it.");
    return { ARN: arn, SecretString };
  });
  return Object.assign(manager, { close: () => mock.restore() });
}
export type TestSecretsManager = Awaited<ReturnType<typeof playSecretsManager>>;
