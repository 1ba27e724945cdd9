import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { KeyTagSecrets } from '../../functions/core/key-tag.ts';
import type { QuotaPeriod } from '../../functions/core/period.ts';
import type { ChainDependencies } from '../../functions/middleware/chain.ts';
import type { RequestState } from '../../functions/middleware/request-state.ts';
import type { PeerKey } from './store.ts';

export interface PeerDependencies extends ChainDependencies {
  /** The one client that all parts share, with the gateway's settings. */
  readonly client: DynamoDBClient;
  readonly quotaPeriod: QuotaPeriod;
  readonly keyTagSecrets: KeyTagSecrets;
}

/** The state of a request, with what the peer keeps in it beyond the gateway's. */
export type PeerState = RequestState & { key?: PeerKey };
