import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './api-types.ts';

/** A client whose paths, bodies and answers are those of `openapi.yaml`. */
export type GatewayClient = Client<paths>;
export type PingRequest = components['schemas']['PingRequest'];

/** A client of the gateway at an address. The key is a secret: keep it on a server, never in a browser. */
export const gatewayClient = (baseUrl: string, apiKey: string): GatewayClient =>
  createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${apiKey}` } });
