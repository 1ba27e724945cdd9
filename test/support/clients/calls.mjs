/** Makes the calls in CALLS with the TypeScript library, without delays, and prints the result of each. */
import { SandboxGateway, SandboxGatewayError } from 'sandbox-gateway';

const { API_KEY, BASE_URL, CALLS } = process.env;
const { setTimeout } = globalThis;
globalThis.setTimeout = (end, ms, ...rest) =>
  setTimeout(end, new Error().stack.includes('/dist/wait.js') ? 0 : ms, ...rest);

for (const { clientRequestId, simulate, rehearse } of JSON.parse(CALLS)) {
  const waitsMs = [];
  const gateway = new SandboxGateway({
    apiKey: API_KEY,
    baseUrl: BASE_URL,
    onRetry: (_, waitMs) => waitsMs.push(waitMs),
  });
  const came = await gateway.ping({ clientRequestId, simulate }, { rehearse }).catch((error) => {
    if (error instanceof SandboxGatewayError) return error;
    throw error;
  });
  const { status, code, retryable, requestId, replayed } = came;
  console.log(JSON.stringify({ status, code, retryable, requestId, replayed, waitsMs }));
}
