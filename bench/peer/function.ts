import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { chainDependencies, settings } from '../../functions/runtime.ts';
import { documentClient } from '../../functions/store/client.ts';
import { peerChain } from './chain.ts';
import { peerStore } from './store.ts';

const WARM_UP_TIMEOUT_MS = 500;

/** The peer's function over a client, once it is warm. */
export async function peerHandler(client: DynamoDBClient) {
  const handler = peerChain({
    ...chainDependencies(),
    client,
    quotaPeriod: settings.quotaPeriod(),
    keyTagSecrets: settings.keyTagSecrets(),
  });
  // As the gateway does: the connection is opened and the code of a call loaded during initialisation.
  await peerStore(documentClient(client))
    .readKey('-', AbortSignal.timeout(WARM_UP_TIMEOUT_MS))
    .catch(() => undefined);
  return handler;
}
