import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { judge, received, type OnCall } from './door/judgement.ts';
import { Refusal } from './door/signature.ts';
import { policies } from './iam.ts';

/** An AWS Secrets Manager that knows one secret. */
export interface TestSecretsManager {
  readonly url: string;
  /** Texts of the secret, by id or stage of their version. */
  readonly versions: Map<string, string>;
  /** The versions that were asked for. */
  readonly asked: string[];
  close(): void;
}

const NEEDED = { resource: 'secret', action: 'secretsmanager:GetSecretValue', leadingKeys: [] } as const;

/**
 * Plays `GetSecretValue` of Secrets Manager's JSON API on a free port of this machine, for the secret of this ARN, to who
 * signs for it and is allowed to read it.
 */
export async function startSecretsManager(arn: string, onCall?: OnCall): Promise<TestSecretsManager> {
  const [, , service = '', region] = arn.split(':');
  const allowed = await policies();
  const secretString = (request: IncomingMessage, body: Buffer): string => {
    judge(received(request, body), { service, region }, { needs: () => [NEEDED], allowed, onCall });
    const { SecretId, VersionId, VersionStage } = JSON.parse(body.toString()) as Record<string, string | undefined>;
    const version = VersionId ?? VersionStage ?? '';
    manager.asked.push(version);
    const isAsked = SecretId === arn && request.headers['x-amz-target'] === 'secretsmanager.GetSecretValue';
    const text = isAsked ? manager.versions.get(version) : undefined;
    if (text === undefined) throw new Refusal('ResourceNotFoundException', "Secrets Manager can't find it.");
    return text;
  };
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const headers = { 'Content-Type': 'application/x-amz-json-1.1' };
      try {
        const SecretString = secretString(request, body);
        response.writeHead(200, headers).end(JSON.stringify({ ARN: arn, SecretString }));
      } catch (error) {
        const { name, message } = error as Error;
        response.writeHead(400, headers).end(JSON.stringify({ __type: name, message }));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const manager: TestSecretsManager = { url, versions: new Map(), asked: [], close: () => server.close() };
  return manager;
}
