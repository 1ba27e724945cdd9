import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from '@jest/globals';
import { createClient } from '../../functions/data/store.ts';
import { localAddress } from '../../local/settings.ts';

test('a call never waits for long: a second to connect, a second to answer, three attempts', async () => {
  const client = createClient(localAddress(1));
  const { requestHandler, maxAttempts } = client.config;
  // The handler reads its own settings when it is first used. Not by a call that is refused: of one that never connected
  // it leaves the timer running for its second, which keeps jest's worker from ending.
  await client.send(new ListTablesCommand(), { abortSignal: AbortSignal.abort() }).catch(() => undefined);
  expect((requestHandler as unknown as { httpHandlerConfigs(): object }).httpHandlerConfigs()).toMatchObject({
    ...{ connectionTimeout: 1_000, requestTimeout: 1_000, throwOnRequestTimeout: true },
  });
  expect(await maxAttempts()).toBe(3);
  client.destroy();
});
