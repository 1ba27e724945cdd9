import type { DynamoDBClient, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { createClient } from '../../functions/store/client.ts';

/**
 * The gateway's client, for the peer too: with a step that does nothing in the place of one that it leaves out, behind
 * which Powertools would add its name.
 */
export function gatewayClient(overrides?: DynamoDBClientConfig): DynamoDBClient {
  const client = createClient(overrides);
  client.middlewareStack.add((next) => next, { step: 'build', name: 'getUserAgentMiddleware' });
  return client;
}
