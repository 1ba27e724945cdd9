import { describe, expect, test } from '@jest/globals';
import { gatewayWithTenant, type TestGateway } from '../support/gateway.ts';

const under = (idempotencyKey: string) => ({ headers: { 'idempotency-key': idempotencyKey } });

const RESET = Object.assign(new Error('the connection was reset'), { name: 'TimeoutError' });

/** Loses the answers of the next calls of a command after they were applied, below the SDK's retries. */
function loseAnswers({ client }: TestGateway, commandName: string, times: number): string[] {
  const sent: string[] = [];
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      if (context.commandName !== commandName) return result;
      sent.push(new TextDecoder().decode((args.request as { body: Uint8Array }).body));
      if (sent.length <= times) throw RESET;
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

describe('an admission whose answer is lost', () => {
  test('may be counted twice, never less', async () => {
    const { gateway, key } = await gatewayWithTenant();
    loseAnswers(gateway, 'UpdateItemCommand', 1);
    expect((await gateway.ping(key)).headers['x-ratelimit-remaining']).toBe('58');
  });
});
