import type { Clean } from './cleaning.ts';

/** Checks of what the caller gives. No message repeats a value: it may be a key. */

const VISIBLE_ASCII = /^[\x21-\x7E]+$/;
/** Where a key in clear text stays on this machine. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

interface Runtime {
  readonly process?: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly execArgv?: readonly string[];
    readonly versions?: { readonly node?: string; readonly bun?: string };
  };
  readonly Deno?: { readonly version: { readonly deno: string } };
}
const runtime = globalThis as Runtime;

/** Throws in a page or a worker of a browser, since every visitor of the page could read the key. */
export function refuseBrowsers(): void {
  const isServer = 'Deno' in globalThis || runtime.process?.versions?.node !== undefined;
  if (isServer && !('document' in globalThis)) return;
  throw new Error('sandbox-gateway runs on servers only: in a browser everybody could read the API key.');
}

/** A variable of the environment, or undefined. */
export const fromEnvironment = (name: string): string | undefined => runtime.process?.env?.[name];

/** The program that runs this, as `node/24.1.0`. */
export function runtimeName(): string {
  const { node, bun } = runtime.process?.versions ?? {};
  if (runtime.Deno) return `deno/${runtime.Deno.version.deno}`;
  return bun === undefined ? `node/${node}` : `bun/${bun}`;
}

/** A member that is not known would be a wish that nobody fulfils. */
export function checkMembers(given: unknown, known: readonly string[], where: string): void {
  if (typeof given !== 'object' || given === null) throw new TypeError(`${where} must be an object.`);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`${where} has no ${JSON.stringify(unknown.slice(0, 40))}; it has ${known.join(', ')}.`);
}

/** White space around it is taken away: files of secrets end with a new line. */
export function checkedKey(apiKey: string | undefined): string {
  const key = (apiKey ?? '').trim();
  if (key === '') {
    throw new TypeError('The API key is missing: set SANDBOX_GATEWAY_API_KEY in the environment, or give apiKey.');
  }
  if (!VISIBLE_ASCII.test(key)) throw new TypeError('apiKey has a character that no API key has.');
  return key;
}

/** The address without a slash at its end. */
export function checkedBaseURL(baseURL: string | undefined): string {
  if (!baseURL) {
    throw new TypeError('The address is missing: set SANDBOX_GATEWAY_BASE_URL in the environment, or give baseURL.');
  }
  if (!URL.canParse(baseURL)) throw new TypeError('baseURL is not an address: it begins with https://');
  const { protocol, hostname, origin, pathname, username, search, hash } = new URL(baseURL);
  const isPrivate = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
  if (!isPrivate || username) {
    throw new TypeError('baseURL must begin with https://, so that nobody on the way reads the API key.');
  }
  if (search || hash || /\/api\/v1(\/|$)/.test(pathname)) {
    throw new TypeError('baseURL must end before /api/v1: the library adds the path itself.');
  }
  if (protocol === 'http:') refuseProxies(hostname);
  return origin + pathname.replace(/\/+$/, '');
}

/** A proxy of `http_proxy` would read a key that is sent to this machine in clear text. */
function refuseProxies(hostname: string): void {
  const { process } = runtime;
  const env = process?.env ?? {};
  const isUsed =
    runtime.Deno !== undefined ||
    process?.versions?.bun !== undefined ||
    env.NODE_USE_ENV_PROXY === '1' ||
    [...(process?.execArgv ?? []), env.NODE_OPTIONS ?? ''].some((option) => option.includes('--use-env-proxy'));
  const proxy = env.http_proxy || env.HTTP_PROXY || env.all_proxy || env.ALL_PROXY;
  const around = (env.no_proxy ?? env.NO_PROXY ?? '').split(/[\s,]+/);
  if (!isUsed || !proxy || around.includes('*') || around.includes(hostname)) return;
  throw new TypeError(`A proxy would read the API key on its way to this machine: set NO_PROXY=${hostname}.`);
}

/** The longest time that a timer takes. */
const LAST = 2 ** 31 - 1;

function checkedCount(value: number, name: string, first: number): number {
  if (Number.isInteger(value) && value >= first && value <= LAST) return value;
  throw new TypeError(`${name} must be a whole number from ${first} to ${LAST}.`);
}
export const checkedTimeout = (value: number): number => checkedCount(value, 'timeout', 1);
export const checkedRetries = (value: number): number => checkedCount(value, 'maxRetries', 0);

export function checkedFunction<F>(value: F, name: string): F {
  if (value === undefined || typeof value === 'function') return value;
  throw new TypeError(`${name} must be a function.`);
}

/** Those that this library sets, and those of the connection. */
const OURS =
  /^(authorization|content-.*|idempotency-key|user-agent|accept-encoding|host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|proxy-.*)$/i;

/** As a header has it (RFC 9110, section 5.5): spaces within, none around. */
const FIELD_VALUE = /^(?! )[\x20-\x7E]*(?<! )$/;

/**
 * Headers of one call: none of ours, and nothing that a connection would read as another one. Each is read once: what
 * was checked is what is sent.
 */
export function checkedHeaders(
  headers: Readonly<Record<string, string>> | null,
  clean: Clean,
): Readonly<Record<string, string>> {
  // A Map and the Headers of a fetch have no names of their own: theirs would be lost without a word.
  if (Object.prototype.toString.call(headers) !== '[object Object]') {
    throw new TypeError('headers must be a plain object of names and values.');
  }
  const given = Object.entries(headers ?? {});
  for (const [name, value] of given) {
    if (OURS.test(name)) throw new TypeError(`headers has no ${name}: the library sets it.`);
    const isSent = /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && typeof value === 'string' && FIELD_VALUE.test(value);
    if (isSent && clean(name + value) === name + value) continue;
    throw new TypeError(
      'headers must be names and values in printable ASCII characters, without an API key, or a space at an end.',
    );
  }
  return Object.fromEntries(given);
}

/** It is on results and errors. */
export function checkedIdempotencyKey(key: string, clean: Clean): string {
  const isSent = typeof key === 'string' && VISIBLE_ASCII.test(key) && key.length <= 255;
  if (isSent && clean(key) === key) return key;
  throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters, and no API key.');
}
