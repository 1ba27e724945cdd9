import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, UpdateCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { KeyRecord } from '../../functions/shared/request/admission.ts';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';
import { available } from '../../functions/shared/store/client.ts';

/** The tables of the peer. Each library has its own, as its documentation says. */
export const PEER_TABLES = {
  /** Keys by their hash, each with the limits of its project, and the quota counters. */
  state: 'PeerState',
  usage: 'PeerUsage',
  rate: 'PeerRate',
  idempotency: 'PeerIdempotency',
} as const;

/**
 * A key of the peer. It holds the quota of its project, so that one read is enough. The project is not read, so that a
 * project cannot be suspended, which favours the peer.
 */
export interface PeerKey extends KeyRecord {
  readonly quotaLimit: number;
}

/** What the peer does to its tables itself; its libraries do the rest. */
export const peerStore = (client: DynamoDBDocumentClient) => ({
  /** Reads a key, consistently: a revocation must hold at once. */
  readKey: async (keyHash: string, abortSignal: AbortSignal): Promise<PeerKey | undefined> => {
    const Key = { id: `KEY#${keyHash}` };
    const command = new GetCommand({ TableName: PEER_TABLES.state, Key, ConsistentRead: true });
    return (await available(client.send(command, { abortSignal }))).Item as PeerKey | undefined;
  },

  /** Charges a unit if the quota allows it. Returns the units used, or undefined if none is left. */
  chargeUnit: async ({ projectId, quotaLimit }: PeerKey, periodId: string, abortSignal: AbortSignal) => {
    const command = new UpdateCommand({
      TableName: PEER_TABLES.state,
      Key: { id: `QUOTA#${projectId}#${periodId}` },
      UpdateExpression: 'ADD #units :one',
      ConditionExpression: 'attribute_not_exists(#units) OR #units < :limit',
      ExpressionAttributeNames: { '#units': 'units' },
      ExpressionAttributeValues: { ':one': 1, ':limit': quotaLimit },
      ReturnValues: 'UPDATED_NEW',
    });
    try {
      return (await available(client.send(command, { abortSignal }))).Attributes?.units as number;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  },

  /** Appends a usage event. */
  putUsage: async (event: UsageEvent, abortSignal: AbortSignal): Promise<void> => {
    const Item = { ...event, occurredAt: `${event.occurredAt}#${event.requestId}` };
    await available(client.send(new PutCommand({ TableName: PEER_TABLES.usage, Item }), { abortSignal }));
  },
});
