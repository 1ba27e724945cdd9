import { chainDependencies } from '../../functions/gateway/runtime.ts';
import { keyTagSecrets, quotaPeriod } from '../../functions/shared/system.ts';
import { createClient, documentClient } from '../../functions/shared/store/client.ts';
import { peerChain } from './chain.ts';
import { peerStore } from './store.ts';

const WARM_UP_TIMEOUT_MS = 500;

const client = createClient();
// As in the gateway, the initialisation opens the connection and loads the code of a call.
await peerStore(documentClient(client))
  .readKey('-', AbortSignal.timeout(WARM_UP_TIMEOUT_MS))
  .catch(() => undefined);

/** Lambda entry point of the peer, with the gateway's client. */
export const handler = peerChain({
  ...chainDependencies(),
  client,
  quotaPeriod: quotaPeriod(),
  keyTagSecrets: keyTagSecrets(),
});
