import { createClient, documentClient, warmUp } from '../../functions/shared/store/client.ts';
import { LOCAL_TABLES } from '../../local/settings.ts';
import { makeCalls, type PingCalls } from './calls.ts';

const client = documentClient(createClient());

/** The smallest function that makes the calls of a ping. It uses the gateway's client, settings and warm-up. */
export const handler = (calls: PingCalls): Promise<void> => makeCalls(client, calls);

await warmUp(client, LOCAL_TABLES.gateway);
