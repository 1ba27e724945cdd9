import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../listening.ts';
import { configuration, INTERACTION_PATH, type PortalClient } from './configuration.ts';
import { providerKeys } from './keys.ts';
import { errorPage, pageHeaders, signInPage } from './pages.ts';
import { personOf, type LocalPerson } from './people.ts';

/** Larger than any form with an address. */
const MAX_BODY_BYTES = 4_096;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * An OpenID provider for a portal on this machine (oidc-provider) with a page of our own. Whoever enters an address is
 * that person. The library is loaded here, which takes a fifth of a second.
 */
export async function identityProvider(
  issuer: string,
  client: PortalClient,
  dataDirectory: string | undefined,
): Promise<Listener> {
  const [{ Provider }, keys] = await Promise.all([import('oidc-provider'), providerKeys(dataDirectory)]);
  const people = new Map<string, LocalPerson>();
  const provider = new Provider(issuer, configuration(client, keys, people));
  const callback = provider.callback();
  const { host } = new URL(issuer);

  const send = (response: ServerResponse, status: number, body: string): void => {
    response.writeHead(status, pageHeaders(client.portalOrigin)).end(body);
  };

  const interact = async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    // Throws if this browser has not begun the sign-in, or began it too long ago.
    await provider.interactionDetails(request, response);
    if (request.method !== 'POST') {
      send(response, 200, signInPage(path));
      return;
    }
    const form = await readBody(request, MAX_BODY_BYTES);
    const email = new URLSearchParams(form?.toString()).get('email') ?? '';
    const person = personOf(email);
    if (!person) {
      send(response, 400, signInPage(path, email));
      return;
    }
    people.set(person.subject, person);
    await provider.interactionFinished(request, response, { login: { accountId: person.subject } });
  };

  return (request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    // The owner of another name that resolves to this machine could read these pages (DNS rebinding).
    if (request.headers.host !== host) {
      send(response, 403, errorPage(`This page is at ${issuer} only.`, client.portalOrigin));
    } else if (path.startsWith(INTERACTION_PATH)) {
      interact(request, response, path).catch(() => {
        if (response.headersSent) response.destroy();
        else send(response, 400, errorPage('This sign-in has expired, or is another browser’s.', client.portalOrigin));
      });
    } else {
      void callback(request, response);
    }
  };
}
