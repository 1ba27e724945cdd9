import { chainDependencies, settings } from '../../functions/runtime.ts';
import { createClient, documentClient } from '../../functions/store/client.ts';
import { peerChain } from './chain.ts';
import { peerStore } from './store.ts';

const WARM_UP_TIMEOUT_MS = 500;

const client = createClient();
// As the gateway does: the connection is opened and the code of a call loaded during initialisation.
await peerStore(documentClient(client))
  .readKey('-', AbortSignal.timeout(WARM_UP_TIMEOUT_MS))
  .catch(() => undefined);

/** Lambda entry point of the peer, with the gateway's client. */
export const handler = peerChain({
  ...chainDependencies(),
  client,
  quotaPeriod: settings.quotaPeriod(),
  keyTagSecrets: settings.keyTagSecrets(),
});
