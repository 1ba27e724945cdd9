/** Drives the TypeScript library: calls come and go as lines of JSON, as test/e2e/clients/networks.ts says. */
import { createInterface } from 'node:readline';
import { inspect } from 'node:util';
import { SandboxGateway, SandboxGatewayError } from 'sandbox-gateway';

/** No call waits between its attempts. */
const { setTimeout } = globalThis;
globalThis.setTimeout = (end, ms, ...rest) => setTimeout(end, new Error().stack.includes('/wait.js') ? 0 : ms, ...rest);

const clients = new Map();
let waitsMs = [];
function clientOf({ timeoutMs: timeout, ...others }) {
  const name = JSON.stringify([timeout, others]);
  if (!clients.has(name)) {
    const onRetry = (_, waitMs) => waitsMs.push(waitMs);
    clients.set(name, new SandboxGateway({ timeout, onRetry, ...others }));
  }
  return clients.get(name);
}

const limitOf = (limit) => limit && { ...limit, resetsAt: limit.resetsAt.getTime() / 1_000 };
const limitsOf = ({ rateLimit, quota }) => ({ rateLimit: limitOf(rateLimit), quota: limitOf(quota) });
function errorOf(error) {
  if (error instanceof TypeError) return { class: 'TypeError', message: error.message };
  if (!(error instanceof SandboxGatewayError)) throw error;
  const { name, status, code, detail, message, requestId, idempotencyKey, retryable } = error;
  return { class: name, status, code, detail, message, requestId, idempotencyKey, retryable, ...limitsOf(error) };
}

for await (const line of createInterface(process.stdin)) {
  const { options = {}, request, call } = JSON.parse(line);
  waitsMs = [];
  let came;
  try {
    came = await clientOf(options).ping(request, call);
  } catch (error) {
    came = error;
  }
  const isError = came instanceof Error;
  const result = isError
    ? null
    : {
        message: came.data.message,
        requestId: came.requestId,
        idempotencyKey: came.idempotencyKey,
        replayed: came.replayed,
        ...limitsOf(came),
      };
  const shown = [
    inspect(came, { depth: Infinity, showHidden: true }),
    JSON.stringify(came),
    String(came),
    ...(isError && came.headers ? [...came.headers].flat() : []),
  ].join('\n');
  console.log(JSON.stringify({ waitsMs, result, error: isError ? errorOf(came) : null, shown }));
}
