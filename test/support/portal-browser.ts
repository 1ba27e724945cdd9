import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { describeInBrowser } from './browser.ts';
import { launch } from './chromium.ts';
import type { Site } from './portal-site.ts';
import { visit, type Visit } from './portal-visit.ts';
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
    beforeAll(async () => {
      [site, browser] = await Promise.all([shared<Site>('portal'), launch(executable)]);
    });
    afterAll(async () => {
      await browser.close();
    });
    tests((set) => {
      beforeEach(async () => {
        visited = await visit(browser, site.portalUrl);
        set({ site, browser, visited, page: visited.page });
      });
      afterEach(async () => {
        await visited.context.close();
        expect(visited.complaints).toEqual([]);
      });
    });
  });
}
