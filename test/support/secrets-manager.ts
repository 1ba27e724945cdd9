import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** An AWS Secrets Manager that knows one secret. */
export interface TestSecretsManager {
  readonly url: string;
  /** Texts of the secret, by id or stage of their version. */
  readonly versions: Map<string, string>;
  /** The versions that were asked for. */
  readonly asked: string[];
  close(): void;
}

/** Plays `GetSecretValue` of Secrets Manager's JSON API on a free port of this machine, for the secret of this ARN. */
export async function startSecretsManager(arn: string): Promise<TestSecretsManager> {
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const { SecretId, VersionId, VersionStage } = body as Record<string, string | undefined>;
      const version = VersionId ?? VersionStage ?? '';
      manager.asked.push(version);
      const isAsked = SecretId === arn && request.headers['x-amz-target'] === 'secretsmanager.GetSecretValue';
      const SecretString = isAsked ? manager.versions.get(version) : undefined;
      response.writeHead(SecretString === undefined ? 400 : 200, { 'Content-Type': 'application/x-amz-json-1.1' });
      const refusal = { __type: 'ResourceNotFoundException', message: "Secrets Manager can't find it." };
      response.end(JSON.stringify(SecretString === undefined ? refusal : { ARN: arn, SecretString }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const manager: TestSecretsManager = { url, versions: new Map(), asked: [], close: () => server.close() };
  return manager;
}
