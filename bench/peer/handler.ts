import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PATIENCE } from '../../functions/store/client.ts';
import { peerHandler } from './function.ts';

/** Lambda entry point of the peer, with the SDK's client as it comes, as patient as the gateway's. */
export const handler = await peerHandler(new DynamoDBClient(PATIENCE));
