import { banner, end, run, type RunningGateway } from './processes.ts';

/** `npm start`, on ports of its own. */
export interface PortalSite extends RunningGateway {
  /** Origin of the portal. */
  readonly portalUrl: string;
}

/** Runs `npm start`'s command with the portal, and waits for the banner. */
export async function startPortalSite(): Promise<PortalSite> {
  const ports = { PORT: '0', PORTAL_PORT: '0', IDENTITY_PORT: '0', DYNAMODB_PORT: '0' };
  const running = await banner(run('local.ts', [], ports));
  const portalUrl = /^ *Portal +(http\S+)/m.exec(running.stdout)?.[1];
  if (portalUrl === undefined) {
    await end(running);
    throw new Error(`no portal: ${running.stdout}${running.stderr}`);
  }
  return Object.assign(running, { portalUrl });
}
