import { dynamoDbRequestStore } from './ledger/dynamodb-request-store.ts';
import { keyTagSecrets, quotaPeriod, tableNames, system } from '../shared/system.ts';
import { createClient, documentClient, warmUp } from '../shared/store/client.ts';
import { chainDependencies, settings } from './runtime.ts';
import { meteredChain } from './metered-chain.ts';

const client = documentClient(createClient());
const tables = tableNames();

/** Lambda entry point of every metered operation. */
export const handler = meteredChain({
  ...chainDependencies(),
  keyTagSecrets: keyTagSecrets(),
  quotaPeriod: quotaPeriod(),
  sourceAddresses: settings.sourceAddresses(),
  store: dynamoDbRequestStore({ client, tables, usageRetentionDays: settings.usageRetentionDays(), ...system }),
});

await warmUp(client, tables.gateway);
