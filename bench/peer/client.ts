import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { createClient, PATIENCE } from '../../functions/store/client.ts';

/** The SDK's client as it comes, as patient as the gateway's. */
export const sdkClient = (overrides: DynamoDBClientConfig = {}): DynamoDBClient =>
  new DynamoDBClient({ ...PATIENCE, ...overrides });

/**
 * The gateway's client, for the peer too: with a step that does nothing in the place of one that it leaves out, behind
 * which Powertools would add its name.
 */
export function gatewayClient(overrides?: DynamoDBClientConfig): DynamoDBClient {
  const client = createClient(overrides);
  client.middlewareStack.add((next) => next, { step: 'build', name: 'getUserAgentMiddleware' });
  return client;
}
