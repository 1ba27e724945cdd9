import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { AccountStore } from '../functions/accounts/store/account-store.ts';
import { system } from '../functions/shared/system.ts';
import type { QuotaPeriod } from '../functions/shared/time.ts';
import { LOCAL_ACTOR, LOCAL_KEY_TAG_SECRETS, LOCAL_TABLES } from './settings.ts';

/** The account store on a local database, where nobody has an identity. */
export const localAccountStore = (
  client: DynamoDBDocumentClient,
  tables = LOCAL_TABLES,
  keyTagSecrets = LOCAL_KEY_TAG_SECRETS,
  quotaPeriod: QuotaPeriod = 'month',
): AccountStore => ({
  ...system,
  client,
  tables,
  actor: () => Promise.resolve(LOCAL_ACTOR),
  keyTagSecrets: () => Promise.resolve(keyTagSecrets),
  quotaPeriod: () => quotaPeriod,
});
