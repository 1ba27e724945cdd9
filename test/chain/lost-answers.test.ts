import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { recordCalls } from '../support/database.ts';
import { gatewayWithTenant, type TestGateway } from '../support/gateway.ts';

const under = (idempotencyKey: string) => ({ headers: { 'idempotency-key': idempotencyKey } });

const RESET = Object.assign(new Error('the connection was reset'), { name: 'TimeoutError' });

/** Loses the answers of the next calls of a command after they were applied, below the SDK's retries. */
function loseAnswers({ client }: TestGateway, commandName: string, times: number, instead: Error = RESET): string[] {
  const sent: string[] = [];
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      if (context.commandName !== commandName) return result;
      sent.push(new TextDecoder().decode((args.request as { body: Uint8Array }).body));
      if (sent.length <= times) throw instead;
      return result;
    },
    { step: 'finalizeRequest', priority: 'low', name: 'loseAnswers' },
  );
  return sent;
}

describe('a settlement whose answer is lost', () => {
  test('is repeated as the identical request under the same token, and charged once', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    const sent = loseAnswers(gateway, 'TransactWriteItemsCommand', 2);
    const response = await gateway.ping(key, under('idempotency-key-k'));
    expect(response.status).toBe(200);
    expect(response.headers).not.toHaveProperty('x-service-idempotency-replayed');
    expect(sent).toHaveLength(3);
    expect(new Set(sent).size).toBe(1);
    expect(sent[0]).toContain('"ClientRequestToken"');
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 1, ledgerUnits: 1 });
  });
});

describe('a settlement that was applied, but said to be in conflict,', () => {
  // A repeat that meets its own first attempt, which is still running, gets a conflict; the next attempt has a new
  // token.
  const $metadata = {};
  const CancellationReasons = [{ Code: 'TransactionConflict' }, { Code: 'None' }, { Code: 'None' }];
  const conflict = new TransactionCanceledException({ message: 'in conflict', $metadata, CancellationReasons });

  test('is charged once: its own event is there', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    const { commands } = recordCalls(gateway.client);
    loseAnswers(gateway, 'TransactWriteItemsCommand', 1, conflict);
    const response = await gateway.ping(key);
    expect(response.status).toBe(200);
    expect(response.headers['x-service-quota-remaining']).toBe('9999');
    expect(commands.filter((name) => name === 'TransactWriteItems')).toHaveLength(2);
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 1, ledgerUnits: 1 });
  });
});

describe('an admission whose answer is lost', () => {
  test('may be counted twice, never less', async () => {
    const { gateway, key } = await gatewayWithTenant();
    loseAnswers(gateway, 'UpdateItemCommand', 1);
    expect((await gateway.ping(key)).headers['x-ratelimit-remaining']).toBe('58');
  });
});
