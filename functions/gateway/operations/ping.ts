import { meteredOperation, SANDBOX_ACCESS } from '../../shared/request/operation.ts';
import { API_V1 } from '../../shared/names.ts';

/** Path of the sandbox ping. */
export const PING_PATH = `${API_V1}/sandbox/ping`;

/** The sandbox ping proves that a key authenticates a real, metered request. It calls no backend. */
export const ping = meteredOperation({
  name: 'sandbox.ping',
  method: 'POST',
  path: PING_PATH,
  requires: SANDBOX_ACCESS,
  units: 1,
  body: {},
  execute: () => ({ body: { ok: true, mode: 'sandbox', message: 'Sandbox gateway is ready.' } }),
});
