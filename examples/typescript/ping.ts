/** Sends a ping and shows what is left of the limits: `API_KEY=svc_test_… npm run example`. */
import { gatewayClient } from './client.ts';
import { pingSafely } from './retry.ts';

const { API_KEY, BASE_URL = 'http://127.0.0.1:3000' } = process.env;

if (API_KEY) {
  await ping(API_KEY).catch((error: unknown) => fail(`The gateway did not answer: ${(error as Error).message}`));
} else {
  fail('Set API_KEY to a test key.');
}

async function ping(apiKey: string): Promise<void> {
  const { data, error, response } = await pingSafely(gatewayClient(BASE_URL, apiKey));
  if (data) {
    console.log(data.message);
  } else {
    fail(response.status, error);
  }
  showLimits(response.headers);
}

function fail(...words: unknown[]): void {
  console.error(...words);
  process.exitCode = 1;
}

function showLimits(headers: Headers): void {
  const header = (name: string): string | null => headers.get(name);
  const date = (epochSeconds: string | null): string => new Date(Number(epochSeconds) * 1_000).toISOString();
  // Neither is there before the key is authenticated, and the quota only where the project has one.
  if (header('X-RateLimit-Limit')) {
    const [left, limit, reset] = ['Remaining', 'Limit', 'Reset'].map((part) => header(`X-RateLimit-${part}`));
    console.log(`Rate: ${left} of ${limit} requests left until ${date(reset ?? null)}`);
  }
  if (header('X-Service-Quota-Limit')) {
    const [left, limit, reset] = ['Remaining', 'Limit', 'Reset'].map((part) => header(`X-Service-Quota-${part}`));
    console.log(`Quota: ${left} of ${limit} ${header('X-Service-Quota-Metric')} left until ${date(reset ?? null)}`);
  }
}
