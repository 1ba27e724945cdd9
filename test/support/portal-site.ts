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
): Promise<Response> =>
  fetch(`${site.url}/api/v1/sandbox/ping`, {
    method: 'POST',
    body: '{}',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
  });
