import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { describeInBrowser } from './browser.ts';
import { launch } from './chromium.ts';
import type { Site } from './portal-site.ts';
import { hasClockHeld, leave, openBrowser, sitDown, type Visit } from './portal-visit.ts';
import { shared } from './shared/client.ts';

/** What a test in a browser has. */
interface PortalInBrowser {
  /** `npm start`, shared by the tests of all files. */
  readonly site: Site;
  /** Shared by the tests, for visits of more people. */
  readonly browser: Browser;
  /** Of the person of this test. */
  readonly visited: Visit;
  readonly page: Page;
}

/**
 * Tests of the portal in a browser, on the run's `npm start`. Each begins with a visit of its own by a new person, who has not
 * signed in, and fails when the browser complained of something that the test did not take back by `forgive`.
 */
export function describeInPortal(
  name: string,
  tests: (onVisit: (set: (portal: PortalInBrowser) => void) => void) => void,
): void {
  describeInBrowser(name, (executable) => {
    let site: Site;
    let browser: Browser;
    let visited: Visit;
    /** One for all tests, with a page that keeps its process: most of a first load is that of a new process. */
    let context: BrowserContext;
    let kept: Page;
    const openContext = async (): Promise<void> => {
      context = await openBrowser(browser, site.portalUrl);
      kept = await context.newPage();
    };
    beforeAll(async () => {
      [site, browser] = await Promise.all([shared<Site>('portal'), launch(executable)]);
      await openContext();
    });
    afterAll(async () => {
      await browser.close();
    });
    tests((set) => {
      beforeEach(async () => {
        visited = await sitDown(context, site.portalUrl);
        set({ site, browser, visited, page: visited.page });
      });
      afterEach(async () => {
        let isFree = false;
        try {
          const pages = context.pages().filter((page) => page !== kept);
          await leave(visited, pages);
          isFree = !hasClockHeld(context);
        } finally {
          // No later test is the person of this one, whatever happened.
          if (!isFree) await openContext();
        }
        expect(visited.complaints).toEqual([]);
      });
    });
  });
}
