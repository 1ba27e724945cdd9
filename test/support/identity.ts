import { once } from 'node:events';
import { noteSecret } from './secrets/journal.ts';
import { noteTokens } from './secrets/sign-in.ts';
import { identityProvider } from '../../local/identity/provider.ts';
import { served } from './served.ts';

/** Starts the local OpenID provider, over HTTP, for a portal at an origin. */
export async function startProvider(portalOrigin: string, dataDirectory?: string, port = 0) {
  const { server, url: issuer, close } = await served(() => undefined, port);
  const client = { clientId: 'portal', clientSecret: 'a secret of the client in the tests' };
  const redirectUri = `${portalOrigin}/api/sign-in/callback`;
  noteSecret('client secret', client.clientSecret);
  server.on('request', (_request, response) => {
    const end = response.end.bind(response);
    response.end = ((...answer: Parameters<typeof end>) => {
      noteTokens(String(answer[0]));
      return end(...answer);
    }) as typeof end;
  });
  server.on('request', await identityProvider(issuer, { ...client, portalOrigin, redirectUri }, dataDirectory));
  return {
    issuer,
    ...client,
    server,
    stop: async (): Promise<void> => {
      close();
      await once(server, 'close');
    },
  };
}
export type TestProvider = Awaited<ReturnType<typeof startProvider>>;

/** The cookies of a browser for one host. */
export class CookieJar {
  readonly cookies = new Map<string, string>();

  /** Applies `Set-Cookie` headers: it stores, replaces and deletes cookies. */
  take(headers: readonly string[]): void {
    for (const header of headers) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      if (/;\s*(max-age=0|expires=Thu, 01 Jan 1970)/i.test(header)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }

  /** The cookies in the form of the `Cookie` header. */
  list(): string[] {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`);
  }
}

/**
 * Signs in at the provider as a browser does: it follows the portal's redirect, sends the form, and returns the address
 * of the provider's redirect back.
 */
export async function signInAtProvider(
  location: string,
  portalOrigin: string,
  email: string,
  jar = new CookieJar(),
): Promise<URL> {
  let url = new URL(location);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 10; step++) {
    if (url.origin === portalOrigin) return url;
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie: jar.list().join('; ') },
      ...(form && { body: form }),
    });
    jar.take(response.headers.getSetCookie());
    const text = await response.text();
    const next = response.headers.get('location');
    if (next === null) {
      if (form || !text.includes('name="email"')) throw new Error(`the provider answers ${response.status}: ${text}`);
      form = new URLSearchParams({ email });
    } else {
      form = undefined;
      url = new URL(next, url);
    }
  }
  throw new Error('the provider leads in circles');
}
