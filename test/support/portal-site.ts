import { CookieJar, signInAtProvider } from './identity.ts';
import { atDoor, end, type RunningGateway, type Variables } from './processes.ts';

/** The addresses of a portal and of its services. */
export interface Site extends Pick<RunningGateway, 'url' | 'databaseUrl'> {
  /** Origin of the portal. */
  readonly portalUrl: string;
  /** Where its mails are. */
  readonly mailboxUrl: string;
}

/** `npm start`, on its own ports. */
export interface PortalSite extends RunningGateway, Site {}

/**
 * Runs the command of `npm start` with the portal, by `atDoor` or another way to start it, and waits for the banner.
 */
export async function startPortalSite(environment: Variables = {}, startBy = atDoor): Promise<PortalSite> {
  const running = await startBy(environment);
  const portalUrl = /^ *Portal +(http\S+)/m.exec(running.stdout)?.[1];
  const mailboxUrl = /^ *Mailbox +(http\S+)$/m.exec(running.stdout)?.[1];
  if (portalUrl === undefined || mailboxUrl === undefined) {
    await end(running);
    throw new Error(`no portal: ${running.stdout}${running.stderr}`);
  }
  return Object.assign(running, { portalUrl, mailboxUrl });
}

/** Sends a ping, as a program with this key does. */
export const ping = (
  site: Pick<Site, 'url'>,
  key: string,
  headers: Readonly<Record<string, string>> = {},
  body = '{}',
): Promise<Response> =>
  fetch(`${site.url}/api/v1/sandbox/ping`, {
    method: 'POST',
    body,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
  });

/** Signs in over HTTP, as a browser does; the result calls the portal in that session. */
export async function signedIn({ portalUrl }: Site, email: string) {
  const jar = new CookieJar();
  const call = async (path: string, method = 'GET', body?: object): Promise<Response> => {
    const headers = { cookie: jar.list().join('; '), origin: portalUrl, 'content-type': 'application/json' };
    const sent = body && { body: JSON.stringify(body) };
    const response = await fetch(portalUrl + path, { method, redirect: 'manual', headers, ...sent });
    jar.take(response.headers.getSetCookie());
    return response;
  };
  const read = async (path: string) => (await (await call(path)).json()) as Record<string, unknown>;
  const create = async (path: string, body: object): Promise<Record<string, string>> => {
    const response = await call(path, 'POST', body);
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
  const begun = await call('/api/sign-in');
  const callback = await signInAtProvider(begun.headers.get('location') ?? '', portalUrl, email);
  const ended = await call(callback.pathname + callback.search);
  if (ended.status !== 303) throw new Error(`not signed in: ${ended.status}`);
  /** An account with a project, as paths. */
  const newProject = async () => {
    const { accountId = '' } = await create('/api/accounts', { name: 'Team' });
    const account = `/api/accounts/${accountId}`;
    const { projectId } = await create(`${account}/projects`, { name: 'Trips' });
    return { accountId, account, project: `${account}/projects/${projectId}` };
  };
  return { call, read, create, jar, newProject };
}
