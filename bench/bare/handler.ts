import { createClient, documentClient } from '../../functions/store/client.ts';
import { warmUp } from '../../functions/store/items.ts';
import { LOCAL_TABLES } from '../../local/settings.ts';
import { makeCalls, type PingCalls } from './calls.ts';

const client = documentClient(createClient());

/** The smallest function that can make the calls of a ping: client, settings and warm-up are the gateway's. */
export const handler = (calls: PingCalls): Promise<void> => makeCalls(client, calls);

await warmUp(client, LOCAL_TABLES.gateway);
