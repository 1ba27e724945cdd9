/**
 * Sends a ping and shows what is left of the limits. The key and the address come from the environment,
 * `SANDBOX_GATEWAY_API_KEY` and `SANDBOX_GATEWAY_BASE_URL`: `npm run example`.
 */
import { SandboxGateway, SandboxGatewayError, type Limit } from 'sandbox-gateway';

const { SANDBOX_GATEWAY_BASE_URL: baseURL = 'http://127.0.0.1:3000' } = process.env;

const show = (name: string, unit: string, { limit, remaining, resetsAt }: Limit): void =>
  console.log(`${name}: ${remaining} of ${limit} ${unit} left until ${resetsAt.toISOString()}`);

try {
  const gateway = new SandboxGateway({
    baseURL,
    onRetry: ({ code }, waitMs) => console.error(`${code}: trying again in ${Math.ceil(waitMs / 1_000)} s`),
  });
  const { data, rateLimit, quota } = await gateway.ping();
  console.log(data.message);
  if (rateLimit) show('Rate', 'requests', rateLimit);
  if (quota) show('Quota', 'request units', quota);
} catch (error) {
  // A TypeError says what is wrong with the settings.
  if (!(error instanceof SandboxGatewayError || error instanceof TypeError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
