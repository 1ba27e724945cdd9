import { setShift, startClocked } from '../support/fleet.ts';
import { startPortalSite, type PortalSite } from '../support/portal-site.ts';
import { FREE_PORTS } from '../support/processes.ts';

/**
 * The time of every screenshot, so that all runs show the same. It is ahead of every machine's clock,
 * because a browser compares the expiry of cookies with that clock.
 */
export const NOW_MS = Date.UTC(2030, 10, 20, 14, 30);

/** `npm start` with the portal, on a clock that the caller sets. */
export interface ClockedSite extends PortalSite {
  /**
   * Sets its clock, which runs on from there. It must not go back, except to the time of the screenshots at the end.
   */
  setTime(nowMs: number): Promise<void>;
}

/** Starts it at a given time, on free ports. */
export async function startClockedSite(nowMs: number): Promise<ClockedSite> {
  const environment = { ...FREE_PORTS, PORTAL: 'on', DEMO: 'full' };
  const running = await startPortalSite(environment, (given) => startClocked(nowMs - Date.now(), given));
  return Object.assign(running, {
    setTime: (timeMs: number) => setShift(running.child, timeMs - Date.now()),
  });
}
