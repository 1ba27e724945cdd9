import { once } from 'node:events';
import { connect } from 'node:net';
import { GetItemCommand, TransactWriteItemsCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createClient } from '../../functions/store/client.ts';
import { LOCAL_TABLES } from '../../local/settings.ts';
import { addressAs, CALLERS, type Caller, type CallerName } from '../support/door/callers.ts';
import { openDoor, type Door } from '../support/door/door.ts';
import { signed } from '../support/door/signature.ts';
import { intercept } from '../support/faults.ts';
import { portOf } from '../support/processes.ts';

declare const ENGINE: string;

const MINUTE_MS = 60_000;
const DYNAMODB = { service: 'dynamodb', region: 'us-east-1' };
const TableName = LOCAL_TABLES.gateway;
const Key = { pk: { S: 'PROJECT#none' }, sk: { S: 'PROJECT' } };
const JSON_TYPE = { 'content-type': 'application/x-amz-json-1.0' };

let door: Door;
let clients: DynamoDBClient[];
beforeEach(async () => {
  clients = [];
  door = await openDoor(process.env[`TEST_ENDPOINT_${ENGINE}`] ?? '');
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  await door.close().catch(() => undefined);
});

const clientOf = (caller: CallerName, overrides: object = {}): DynamoDBClient => {
  const client = createClient({ ...addressAs(caller, door.endpoint), ...overrides });
  clients.push(client);
  return client;
};
const read = (client: DynamoDBClient) => client.send(new GetItemCommand({ TableName, Key }));

interface Sent {
  readonly headers: Record<string, string>;
  readonly body: string;
}
interface Asking {
  readonly by?: Caller;
  readonly to?: typeof DYNAMODB;
  readonly atMs?: number;
  /** What becomes of it behind the signature. */
  readonly changed?: (sent: Sent) => Sent;
}

/** What is answered to a read that is signed by hand. */
async function asked({ by = CALLERS.test, to = DYNAMODB, atMs, changed = (sent) => sent }: Asking): Promise<string> {
  const { host } = new URL(door.endpoint);
  const plain = { ...JSON_TYPE, host, 'x-amz-target': 'DynamoDB_20120810.GetItem' };
  const body = JSON.stringify({ TableName, Key });
  const request = { method: 'POST', target: '/', headers: plain, body };
  const sent = changed({ headers: { ...plain, ...signed(by, request, to, atMs) }, body });
  const answer = await fetch(door.endpoint, { method: 'POST', ...sent });
  const { __type: type = 'ok' } = (await answer.json()) as { __type?: string };
  return `${answer.status} ${type.replace(/^.*#/, '')}`;
}

/** With other headers. */
const having =
  (headers: Record<string, string>) =>
  (sent: Sent): Sent => ({ ...sent, headers: { ...sent.headers, ...headers } });

describe('a call of the client', () => {
  test.each(['metered', 'portal', 'operator', 'local'] as const)(
    'by %s is signed for its region and service, and refused nowhere',
    async (caller) => {
      expect((await read(clientOf(caller))).$metadata.httpStatusCode).toBe(200);
      await door.close();
    },
  );

  test('by a process whose clock is off is signed again by the time of the refusal, and so are those after it', async () => {
    const client = clientOf('metered', { systemClockOffset: 24 * 60 * MINUTE_MS });
    let attempts = 0;
    intercept(client, ({ send }) => {
      attempts++;
      return send();
    });
    for (const expected of [2, 3, 4]) {
      await read(client);
      expect(attempts).toBe(expected);
    }
    await door.close();
  });
});

describe('the door', () => {
  test('lets a read through that is signed by hand as AWS’s pages say', async () => {
    for (const by of [CALLERS.test, CALLERS.metered]) expect(await asked({ by })).toBe('200 ok');
    await door.close();
  });

  const anothers = { ...CALLERS.metered, secretAccessKey: CALLERS.portal.secretAccessKey };
  test.each<[string, Asking, string]>([
    ['for no region', { to: { ...DYNAMODB, region: '' } }, 'InvalidSignatureException'],
    ['for another region', { to: { ...DYNAMODB, region: 'eu-central-1' } }, 'InvalidSignatureException'],
    ['for no service', { to: { ...DYNAMODB, service: '' } }, 'InvalidSignatureException'],
    ['for another service', { to: { ...DYNAMODB, service: 'sts' } }, 'InvalidSignatureException'],
    ['by another’s secret', { by: anothers }, 'InvalidSignatureException'],
    ['six minutes ago', { atMs: Date.now() - 6 * MINUTE_MS }, 'InvalidSignatureException'],
    ['six minutes ahead', { atMs: Date.now() + 6 * MINUTE_MS }, 'InvalidSignatureException'],
    ['by nobody that is known', { by: { ...CALLERS.test, accessKeyId: 'nobody' } }, 'UnrecognizedClientException'],
    [
      'without the token of its role',
      { by: { ...CALLERS.test, accessKeyId: 'metered' } },
      'UnrecognizedClientException',
    ],
    [
      'of which the body is another',
      { changed: (sent) => ({ ...sent, body: `${sent.body} ` }) },
      'InvalidSignatureException',
    ],
    [
      'of which what is asked for is another',
      { changed: having({ 'x-amz-target': 'DynamoDB_20120810.PutItem' }) },
      'InvalidSignatureException',
    ],
    ['to which a header of AWS was added', { changed: having({ 'x-amz-more': '1' }) }, 'InvalidSignatureException'],
    [
      'of which the signature is lost',
      { changed: having({ authorization: '' }) },
      'MissingAuthenticationTokenException',
    ],
    [
      'of which the signature is none',
      { changed: having({ authorization: 'Bearer x' }) },
      'IncompleteSignatureException',
    ],
  ])('refuses a read that is signed, but %s', async (_what, asking, type) => {
    expect(await asked(asking)).toBe(`400 ${type}`);
  });

  test('refuses what a role may not do, and tells at its end of all that it refused', async () => {
    const refused = { name: 'AccessDeniedException', $metadata: { httpStatusCode: 400 } };
    const other = { ...Key, pk: { S: 'ACCOUNT#none' } };
    const get = new GetItemCommand({ TableName, Key: other });
    await expect(clientOf('metered').send(get)).rejects.toMatchObject(refused);
    // Of the parts of a transaction one is enough.
    const put = { Put: { TableName, Item: Key } };
    const transaction = new TransactWriteItemsCommand({ TransactItems: [put, { Delete: { TableName, Key: other } }] });
    await expect(clientOf('metered').send(transaction)).rejects.toMatchObject(refused);
    expect((await read(clientOf('test'))).Item).toBeUndefined();
    await expect(door.close()).rejects.toThrow(
      /metered is not authorized to perform: dynamodb:GetItem on: gateway, ACCOUNT#none\n.*dynamodb:DeleteItem on: gateway, ACCOUNT#none$/,
    );
  });

  test('refuses a call that nobody has taught it the permissions of', async () => {
    const target = 'DynamoDB_20120810.ExportTableToPointInTime';
    const plain = { ...JSON_TYPE, host: new URL(door.endpoint).host, 'x-amz-target': target };
    const request = { method: 'POST', target: '/', headers: plain, body: '{}' };
    const headers = { ...plain, ...signed(CALLERS.operator, request, DYNAMODB) };
    expect((await fetch(door.endpoint, { method: 'POST', headers, body: '{}' })).status).toBe(400);
    await expect(door.close()).rejects.toThrow('What does IAM check of ExportTableToPointInTime?');
  });

  test.each([
    ['two requests at once', 'POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\nPOST / HTTP/1.1\r\n\r\n'],
    ['a body of unknown length', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['what is no HTTP', 'hello\r\n\r\n'],
  ])('ends a connection on which come %s', async (_what, text) => {
    const socket = connect(Number(portOf(door.endpoint)), '127.0.0.1').resume();
    socket.write(text);
    await once(socket, 'close');
    expect(socket.bytesRead).toBe(0);
  });
});

test.each([
  [
    'a query (AWS IAM User Guide, "Create a signed AWS API request")',
    { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
    { service: 'iam', region: 'us-east-1' },
    Date.UTC(2015, 7, 30, 12, 36),
    {
      ...{ method: 'GET', target: '/?Version=2010-05-08&Action=ListUsers', body: '' },
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8', host: 'iam.amazonaws.com' },
    },
    '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
  ],
  [
    'an object (Amazon S3 API Reference, "Signature Calculations for the Authorization Header")',
    { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
    { service: 's3', region: 'us-east-1' },
    Date.UTC(2013, 4, 24),
    {
      ...{ method: 'PUT', target: '/test%24file.text', body: 'Welcome to Amazon S3.' },
      headers: {
        date: 'Fri, 24 May 2013 00:00:00 GMT',
        host: 'examplebucket.s3.amazonaws.com',
        'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      },
    },
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
])('what the door verifies by signs as in AWS’s own example of %s', (_what, by, to, atMs, request, signature) => {
  expect(signed(by, request, to, atMs).authorization).toMatch(new RegExp(`Signature=${signature}$`));
});

test('a body that is not what S3 is told that it is, is refused', () => {
  const headers = { host: 's3.amazonaws.com', 'x-amz-content-sha256': '0'.repeat(64) };
  const request = { method: 'PUT', target: '/a/b', headers, body: 'Welcome.' };
  expect(() => signed(CALLERS.test, request, { service: 's3', region: 'us-east-1' })).toThrow('not what was signed');
});
