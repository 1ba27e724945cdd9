import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { ControlPlane } from '../functions/accounts/control-plane.ts';
import { system } from '../functions/system.ts';
import { LOCAL_ACTOR, LOCAL_KEY_TAG_SECRETS, LOCAL_TABLES } from './settings.ts';

/** The control plane on a local database, where nobody has an identity. */
export const localControlPlane = (
  client: DynamoDBDocumentClient,
  tables = LOCAL_TABLES,
  keyTagSecrets = LOCAL_KEY_TAG_SECRETS,
): ControlPlane => ({
  ...system,
  client,
  tables,
  actor: () => Promise.resolve(LOCAL_ACTOR),
  keyTagSecrets: () => Promise.resolve(keyTagSecrets),
});
