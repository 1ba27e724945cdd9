import { dynamoDbLedger } from '../data/dynamodb-ledger.ts';
import { createClient, documentClient, warmUp } from '../data/store.ts';
import { chainDependencies, settings } from '../runtime.ts';
import { system } from '../system.ts';
import { pingChain } from './chain.ts';

const client = documentClient(createClient());
const tables = settings.tables();

/** Lambda entry point: `POST /api/v1/sandbox/ping`. */
export const handler = pingChain({
  ...chainDependencies(),
  quotaPeriod: settings.quotaPeriod(),
  ledger: dynamoDbLedger({ client, tables, usageRetentionDays: settings.usageRetentionDays(), ...system }),
});

await warmUp(client, tables.gateway);
