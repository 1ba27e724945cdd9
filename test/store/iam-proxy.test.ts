import { once } from 'node:events';
import { connect } from 'node:net';
import { GetItemCommand, TransactWriteItemsCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createClient } from '../../functions/shared/store/client.ts';
import { LOCAL_TABLES } from '../../local/settings.ts';
import { addressAs, CALLERS, type CallerName } from '../support/iam-proxy/callers.ts';
import { startIamProxy, type IamProxy } from '../support/iam-proxy/proxy.ts';
import { portOf } from '../support/processes.ts';

declare const ENGINE: string;

const SCOPE = 'us-east-1/dynamodb/aws4_request';
const TableName = LOCAL_TABLES.gateway;
const Key = { pk: { S: 'PROJECT#none' }, sk: { S: 'PROJECT' } };

let iamProxy: IamProxy;
let clients: DynamoDBClient[];
beforeEach(async () => {
  clients = [];
  iamProxy = await startIamProxy(process.env[`TEST_ENDPOINT_${ENGINE}`] ?? '');
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  await iamProxy.close().catch(() => undefined);
});

const clientOf = (caller: CallerName): DynamoDBClient => {
  const client = createClient(addressAs(caller, iamProxy.endpoint));
  clients.push(client);
  return client;
};
const read = (client: DynamoDBClient) => client.send(new GetItemCommand({ TableName, Key }));

/** The signature of a read; absent: as `metered` signs it. */
interface Asking {
  readonly by?: string;
  readonly scope?: string;
  readonly headers?: Record<string, string>;
}

/** The answer to a read with a manual signature. */
async function asked({ by = 'metered', scope = SCOPE, headers }: Asking): Promise<string> {
  const signed = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': 'DynamoDB_20120810.GetItem',
    'x-amz-date': '20260101T000000Z',
    'x-amz-security-token': CALLERS.metered.sessionToken,
    authorization: `AWS4-HMAC-SHA256 Credential=${by}/20260101/${scope}, SignedHeaders=host, Signature=0`,
  };
  const body = JSON.stringify({ TableName, Key });
  const answer = await fetch(iamProxy.endpoint, { method: 'POST', headers: { ...signed, ...headers }, body });
  const { __type: type = 'ok' } = (await answer.json()) as { __type?: string };
  return `${answer.status} ${type.replace(/^.*#/, '')}`;
}

describe('a call of the client', () => {
  test.each(['metered', 'portal', 'operator', 'local'] as const)(
    'by %s is signed for its region and service, and refused nowhere',
    async (caller) => {
      expect((await read(clientOf(caller))).$metadata.httpStatusCode).toBe(200);
      await iamProxy.close();
    },
  );
});

describe('the IAM proxy', () => {
  test('lets a read through that is signed by hand', async () => {
    expect(await asked({})).toBe('200 ok');
    await iamProxy.close();
  });

  test.each<[string, Asking, string]>([
    ['for another region', { scope: 'eu-central-1/dynamodb/aws4_request' }, 'InvalidSignatureException'],
    ['for another service', { scope: 'us-east-1/sts/aws4_request' }, 'InvalidSignatureException'],
    ['by nobody that is known', { by: 'nobody' }, 'UnrecognizedClientException'],
    ['without the token of its role', { by: 'portal' }, 'UnrecognizedClientException'],
    ['by nobody', { headers: { authorization: '' } }, 'UnrecognizedClientException'],
  ])('refuses a read that is signed %s', async (_what, asking, type) => {
    expect(await asked(asking)).toBe(`400 ${type}`);
  });

  test('refuses what a role may not do, and tells at its end of all that it refused', async () => {
    const refused = { name: 'AccessDeniedException', $metadata: { httpStatusCode: 400 } };
    const other = { ...Key, pk: { S: 'ACCOUNT#none' } };
    const get = new GetItemCommand({ TableName, Key: other });
    await expect(clientOf('metered').send(get)).rejects.toMatchObject(refused);
    // One part of a transaction is enough.
    const put = { Put: { TableName, Item: Key } };
    const transaction = new TransactWriteItemsCommand({ TransactItems: [put, { Delete: { TableName, Key: other } }] });
    await expect(clientOf('metered').send(transaction)).rejects.toMatchObject(refused);
    expect((await read(clientOf('test'))).Item).toBeUndefined();
    await expect(iamProxy.close()).rejects.toThrow(
      /metered is not authorized to perform: dynamodb:GetItem on: gateway, ACCOUNT#none\n.*dynamodb:DeleteItem on: gateway, ACCOUNT#none$/,
    );
  });

  test('refuses a call that nobody has taught it the permissions of', async () => {
    expect(await asked({ headers: { 'x-amz-target': 'DynamoDB_20120810.ExportTableToPointInTime' } })).toMatch(/^400/);
    await expect(iamProxy.close()).rejects.toThrow('What does IAM check of ExportTableToPointInTime?');
  });

  test.each([
    ['two requests at once', 'POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\nPOST / HTTP/1.1\r\n\r\n'],
    ['a body of unknown length', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['what is no HTTP', 'hello\r\n\r\n'],
  ])('ends a connection on which come %s', async (_what, text) => {
    const socket = connect(Number(portOf(iamProxy.endpoint)), '127.0.0.1').resume();
    socket.write(text);
    await once(socket, 'close');
    expect(socket.bytesRead).toBe(0);
  });
});
