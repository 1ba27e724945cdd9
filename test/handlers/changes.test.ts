import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { tellingOfWrites, writtenBy, type Call } from '../../local/stream.ts';

const key = (pk: string, sk: string) => ({ pk: { S: pk }, sk: { S: sk } });
const call = (operation: string, body: object): Call => ({
  target: `DynamoDB_20120810.${operation}`,
  body: JSON.stringify(body),
});
const AUDIT = key('ACCOUNT#acc_1', 'AUDIT#2026');
const QUOTA = key('PROJECT#p', 'QUOTA#2026-11');
const told = (event: string, { pk, sk }: typeof AUDIT) => ({ event, pk: pk.S, sk: sk.S });

describe('what is written', () => {
  test.each([
    ['PutItem', { TableName: 'Gateway', Item: AUDIT }, [told('INSERT', AUDIT)]],
    ['UpdateItem', { TableName: 'Gateway', Key: QUOTA }, [told('MODIFY', QUOTA)]],
    ['BatchWriteItem', { RequestItems: { Gateway: [{ PutRequest: { Item: AUDIT } }] } }, [told('INSERT', AUDIT)]],
    [
      'TransactWriteItems',
      {
        TransactItems: [
          { Update: { TableName: 'Gateway', Key: QUOTA } },
          { Put: { TableName: 'Gateway', Item: AUDIT } },
        ],
      },
      [told('INSERT', AUDIT), told('MODIFY', QUOTA)],
    ],
    ['PutItem', { TableName: 'Usage', Item: AUDIT }, []],
    // Of an audit event only its creation is told, and of a key nothing.
    ['UpdateItem', { TableName: 'Gateway', Key: AUDIT }, []],
    ['PutItem', { TableName: 'Gateway', Item: key('KEY#1', 'KEY') }, []],
  ])('%s of %j', (operation, body, expected) => {
    expect(writtenBy(call(operation, body), 'Gateway')).toEqual(expected);
  });
});

describe('the plugin of the client', () => {
  const answer = (statusCode: number, body: object) => ({
    response: {
      statusCode,
      headers: { 'content-type': 'application/x-amz-json-1.0' },
      body: Buffer.from(JSON.stringify(body)),
    },
  });
  /** Puts an item with a client whose calls end so; returns the operations that were told. */
  async function put(handle: () => Promise<unknown>): Promise<string[]> {
    const operations: string[] = [];
    const client = new DynamoDBClient({
      region: 'us-east-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      maxAttempts: 1,
      requestHandler: { handle } as never,
    });
    client.middlewareStack.use(
      tellingOfWrites(({ target = '', body }) => {
        expect(JSON.parse(body)).toMatchObject({ TableName: 'Gateway', Item: AUDIT });
        operations.push(target);
      }),
    );
    await client.send(new PutItemCommand({ TableName: 'Gateway', Item: AUDIT })).catch(() => undefined);
    return operations;
  }

  const PUT = ['DynamoDB_20120810.PutItem'];
  test.each([
    ['a write that succeeded', () => Promise.resolve(answer(200, {})), PUT],
    ['one whose answer was lost: it may have been made', () => Promise.reject(new Error('reset')), PUT],
    ['one that failed in the database', () => Promise.resolve(answer(500, { __type: 'InternalServerError' })), PUT],
    [
      'not of one that was refused',
      () => Promise.resolve(answer(400, { __type: 'ConditionalCheckFailedException' })),
      [],
    ],
  ])('tells of %s', async (_what, handle, expected) => {
    expect(await put(handle)).toEqual(expected);
  });
});
