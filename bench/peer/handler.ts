import { sdkClient } from './client.ts';
import { peerHandler } from './function.ts';

/** Lambda entry point of the peer: `POST /api/v1/sandbox/ping`. */
export const handler = await peerHandler(sdkClient());
