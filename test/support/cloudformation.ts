import { startAwsService, type AwsService } from './aws-service.ts';
import { judge, type OnCall } from './door/judgement.ts';
import { Refusal } from './door/signature.ts';
import { policies } from './iam.ts';

/** A CloudFormation service with the stacks that a test gives it. */
export interface TestCloudFormation extends AwsService {
  /** Outputs by the name of their stack. */
  readonly stacks: Map<string, Readonly<Record<string, string>>>;
  /** The stacks that were requested. */
  readonly asked: string[];
  /** If set, every request is refused with this error code. */
  refusal: string | undefined;
}

const NEEDED = { resource: 'stack', action: 'cloudformation:DescribeStacks', leadingKeys: [] } as const;

/** Plays `DescribeStacks` of CloudFormation's Query API, for callers that sign and are allowed to call it. */
export async function startCloudFormation(onCall?: OnCall): Promise<TestCloudFormation> {
  const allowed = await policies();
  const service = await startAwsService(
    { 'Content-Type': 'text/xml' },
    (request) => {
      const form = new URLSearchParams(request.body.toString());
      const name = form.get('StackName') ?? '';
      cloudFormation.asked.push(name);
      judge(request, { service: 'cloudformation' }, { needs: () => [NEEDED], allowed, onCall });
      if (cloudFormation.refusal !== undefined) throw new Refusal(cloudFormation.refusal, 'You may not.');
      const outputs = form.get('Action') === 'DescribeStacks' ? cloudFormation.stacks.get(name) : undefined;
      if (!outputs) throw new Refusal('ValidationError', `Stack with id ${name} does not exist`);
      return stackXml(name, outputs);
    },
    ({ name, message }) => [name === 'ValidationError' ? 400 : 403, errorXml(name, message)],
  );
  const cloudFormation: TestCloudFormation = { ...service, stacks: new Map(), asked: [], refusal: undefined };
  return cloudFormation;
}

const NAMESPACE = 'http://cloudformation.amazonaws.com/doc/2010-05-15/';

function stackXml(name: string, outputs: Readonly<Record<string, string>>): string {
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return `<DescribeStacksResponse xmlns="${NAMESPACE}"><DescribeStacksResult><Stacks><member>
    <StackName>${name}</StackName><StackId>arn:aws:cloudformation:us-east-1:123456789012:stack/${name}/0</StackId><StackStatus>CREATE_COMPLETE</StackStatus>
    <CreationTime>2026-11-21T00:00:00.000Z</CreationTime><Outputs>${members.join('')}</Outputs>
  </member></Stacks></DescribeStacksResult></DescribeStacksResponse>`;
}

const errorXml = (code: string, message: string): string =>
  `<ErrorResponse xmlns="${NAMESPACE}"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;
