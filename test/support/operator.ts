import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { createClient, documentClient } from '../../functions/shared/store/client.ts';
import { system } from '../../functions/shared/system.ts';
import { LOCAL_TABLES } from '../../local/settings.ts';
import { addressAs, type CallerName } from './iam-proxy/callers.ts';
import { localKeyTagSecrets } from './keys.ts';

/** The platform team's access to a database of gateways; as `test` without limits of permission. */
export function operatorOf(endpoint: string, caller: CallerName = 'operator') {
  // The timeouts are long: gateways and clients share the machine.
  const requestHandler = { connectionTimeout: 15_000, requestTimeout: 15_000 };
  const client = createClient({ ...addressAs(caller, endpoint), requestHandler });
  const store: AccountStore = {
    ...system,
    client: documentClient(client),
    tables: LOCAL_TABLES,
    actor: () => Promise.resolve('test'),
    keyTagSecrets: localKeyTagSecrets,
    quotaPeriod: () => 'month',
  };
  return { store, close: (): void => client.destroy() };
}
