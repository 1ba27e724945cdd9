import { buffer } from 'node:stream/consumers';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { judge, type OnCall } from './iam-proxy/judgement.ts';
import { Refusal, whoSigned, type Addressee, type ReceivedRequest } from './iam-proxy/signature.ts';
import { policies, type Permission } from './iam.ts';
import { served } from './served.ts';

/** How a service is played. */
interface Play {
  readonly addressee: Addressee;
  /** The permission that its calls need; undefined: it looks itself at who has signed. */
  readonly needs?: Permission;
  readonly onCall?: OnCall | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of an answer. */
  readonly answer: (request: ReceivedRequest & { readonly body: Buffer }) => string;
  /** The answer to a call that is refused. */
  readonly refused: (error: Error) => readonly [status: number, body: string];
}

/** Starts a local server in place of an AWS service, for callers that sign and may call it; adds it to its state. */
async function play<State extends object>(state: State, { addressee, needs, onCall, headers, ...how }: Play) {
  const allowed = needs && (await policies());
  const answerTo = (request: Parameters<Play['answer']>[0]): readonly [number, string] => {
    try {
      if (allowed) judge(request, addressee, { needs: () => [needs], allowed, onCall });
      return [200, how.answer(request)];
    } catch (error) {
      return how.refused(error as Error);
    }
  };
  const server = await served((request, response) => {
    const { method = '', url: target = '', headers: received } = request;
    void buffer(request).then((body) => {
      const [status, text] = answerTo({ method, target, headers: received, body });
      response.writeHead(status, headers).end(text);
    });
  });
  return Object.assign(state, server);
}

const errorXml = ({ name, message }: Error): string =>
  `<Error><Code>${name}</Code><Message>${message}</Message></Error>`;
const responseXml = (name: string, content: string): string =>
  `<${name}Response xmlns="https://amazonaws.com/doc/"><${name}Result>${content}</${name}Result></${name}Response>`;

/** Plays `DescribeStacks` of CloudFormation's Query API. */
export function startCloudFormation(onCall?: OnCall) {
  const cloudFormation = {
    /** Outputs by the name of their stack. */
    stacks: new Map<string, Readonly<Record<string, string>>>(),
    /** The stacks that were requested. */
    asked: [] as string[],
    /** If set, every request is refused with this error code. */
    refusal: undefined as string | undefined,
  };
  const answer: Play['answer'] = ({ body }) => {
    const form = new URLSearchParams(body.toString());
    const name = form.get('StackName') ?? '';
    cloudFormation.asked.push(name);
    if (cloudFormation.refusal !== undefined) throw new Refusal(cloudFormation.refusal, 'You may not.');
    const outputs = form.get('Action') === 'DescribeStacks' ? cloudFormation.stacks.get(name) : undefined;
    if (!outputs) throw new Refusal('ValidationError', `Stack with id ${name} does not exist`);
    const members = Object.entries(outputs).map(
      ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
    );
    const stack = `<StackName>${name}</StackName><StackId>arn:aws:cloudformation:us-east-1:123456789012:stack/${name}/0</StackId>
      <StackStatus>CREATE_COMPLETE</StackStatus><CreationTime>2026-11-21T00:00:00.000Z</CreationTime>`;
    return responseXml(
      'DescribeStacks',
      `<Stacks><member>${stack}<Outputs>${members.join('')}</Outputs></member></Stacks>`,
    );
  };
  return play(cloudFormation, {
    addressee: { service: 'cloudformation' },
    onCall,
    headers: { 'Content-Type': 'text/xml' },
    answer,
    needs: { resource: 'stack', action: 'cloudformation:DescribeStacks', leadingKeys: [] },
    refused: (error) => [
      error.name === 'ValidationError' ? 400 : 403,
      `<ErrorResponse>${errorXml(error)}</ErrorResponse>`,
    ],
  });
}

/** Plays `GetCallerIdentity` of STS's Query API. */
export function startSts() {
  const sts = {
    /** The number of requests. */
    asked: 0,
    /** The caller's ARN; undefined if every request is refused. */
    arn: undefined as string | undefined,
  };
  const addressee = { service: 'sts' };
  const answer: Play['answer'] = (request) => {
    sts.asked++;
    whoSigned(request, addressee);
    if (sts.arn === undefined) throw new Refusal('ExpiredToken', 'It has expired.');
    return responseXml('GetCallerIdentity', `<Arn>${sts.arn}</Arn><UserId>U</UserId><Account>123456789012</Account>`);
  };
  return play(sts, {
    addressee,
    headers: { 'Content-Type': 'text/xml', 'x-amzn-RequestId': '0' },
    answer,
    refused: (error) => [403, `<ErrorResponse>${errorXml(error)}</ErrorResponse>`],
  });
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
    if (Entries.length > 10) throw new Refusal('TooManyEntriesInBatchRequest', 'There are more than 10.');
    const isLost = ({ MessageBody }: SentMessage): boolean => MessageBody.includes(sqs.refused ?? '\0');
    const Failed = Entries.filter(isLost).map(({ Id }) => ({ Id, Code: 'InternalError' }));
    return { Successful: Entries.filter((entry) => !isLost(entry)), ...(!sqs.isSilent && { Failed }) };
  };
  const mock = mockClient(SQSClient);
  mock.on(SendMessageBatchCommand).callsFake(send);
  return Object.assign(sqs, { close: () => mock.restore() });
}
export type TestSqs = ReturnType<typeof playSqs>;

/** Plays `GetSecretValue` of Secrets Manager's JSON API for the secret with this ARN. */
export function startSecretsManager(arn: string, onCall?: OnCall) {
  const manager = {
    /** Texts of the secret, by id or stage of their version. */
    versions: new Map<string, string>(),
    /** The versions that were requested. */
    asked: [] as string[],
  };
  const answer: Play['answer'] = ({ headers, body }) => {
    const { SecretId, VersionId, VersionStage } = JSON.parse(body.toString()) as Record<string, string>;
    const version = VersionId ?? VersionStage ?? '';
    manager.asked.push(version);
    const isAsked = SecretId === arn && headers['x-amz-target'] === 'secretsmanager.GetSecretValue';
    const SecretString = isAsked ? manager.versions.get(version) : undefined;
    if (SecretString === undefined) throw new Refusal('ResourceNotFoundException', "Secrets Manager can't find it.");
    return JSON.stringify({ ARN: arn, SecretString });
  };
  return play(manager, {
    addressee: { service: 'secretsmanager', region: arn.split(':')[3] },
    onCall,
    headers: { 'Content-Type': 'application/x-amz-json-1.1' },
    answer,
    needs: { resource: 'secret', action: 'secretsmanager:GetSecretValue', leadingKeys: [] },
    refused: ({ name, message }) => [400, JSON.stringify({ __type: name, message })],
  });
}
export type TestSecretsManager = Awaited<ReturnType<typeof startSecretsManager>>;
