import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A CloudFormation that knows the stacks that a test puts in it. */
export interface TestCloudFormation {
  readonly url: string;
  /** Outputs by the name of their stack. */
  readonly stacks: Map<string, Readonly<Record<string, string>>>;
  /** The stacks that were asked for. */
  readonly asked: string[];
  /** Set: the code of the error that every request is refused with. */
  refusal: string | undefined;
  close(): void;
}

/** Plays `DescribeStacks` of CloudFormation's Query API on a free port of this machine. */
export async function startCloudFormation(): Promise<TestCloudFormation> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const form = new URLSearchParams(body);
      const name = form.get('StackName') ?? '';
      cloudFormation.asked.push(name);
      const outputs = form.get('Action') === 'DescribeStacks' ? cloudFormation.stacks.get(name) : undefined;
      const refused = cloudFormation.refusal;
      response.writeHead(refused ? 403 : outputs ? 200 : 400, { 'Content-Type': 'text/xml' });
      if (refused) response.end(errorXml(refused, 'You may not.'));
      else
        response.end(
          outputs ? stackXml(name, outputs) : errorXml('ValidationError', `Stack with id ${name} does not exist`),
        );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cloudFormation: TestCloudFormation = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stacks: new Map(),
    asked: [],
    refusal: undefined,
    close: () => server.close(),
  };
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
