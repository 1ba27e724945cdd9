import { gatewayClient } from './client.ts';
import { peerHandler } from './function.ts';

/** The peer's entry point with the gateway's client: what remains is what the gateway does in fewer calls. */
export const handler = await peerHandler(gatewayClient());
