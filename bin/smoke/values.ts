import { parseApiKey, SANDBOX_MODE } from '../../functions/core/api-key.ts';
import { isLoopbackHost } from '../../local/settings.ts';

/**
 * Readers of arguments. Each throws an error of one line that never repeats the argument: it may be a key in the wrong
 * place, or one with a typing error, which no pattern would find and take out.
 */

/** The base of an API, without a trailing slash. */
export function readBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error('<url> must be a URL such as https://abc.execute-api.eu-central-1.amazonaws.com.');
  }
  if (url.username !== '' || url.password !== '') throw new Error('<url> must not hold credentials.');
  if (url.pathname !== '/' || /[?#]/.test(text)) throw new Error('<url> must have no path, query or fragment.');
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw new Error('<url> must be https, except on this machine: the key would travel unencrypted.');
  }
  return url.origin;
}

/** A browser origin, byte for byte as a browser sends it. */
export function readOrigin(text: string): string {
  if (URL.parse(text)?.origin !== text)
    throw new Error('--origin must be an origin such as https://portal.example.com.');
  return text;
}

/** A key that the sandbox may take. `name` is the argument it was given in. */
export function readKey(text: string, name: string): string {
  const key = parseApiKey(text);
  if (key === undefined) throw new Error(`${name} must be an API key; this one has a typing error or is cut off.`);
  if (key.mode !== SANDBOX_MODE) throw new Error(`${name} must be a test key: the sandbox takes no live ones.`);
  return text;
}
