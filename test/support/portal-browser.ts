import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findBrowser, launch } from './chromium.ts';
import type { Site } from './portal-site.ts';
import { hasClockHeld, leave, openBrowser, sitDown, type Visit } from './portal-visit.ts';
import { shared } from './shared/client.ts';

// What a test has. Each is set before it.

/** `npm start`, shared by the tests of all files. */
export let site: Site;
/** Shared by the tests, for visits by more people. */
export let browser: Browser;
/** The visit of this test's person. */
export let visited: Visit;
/** Its page. */
export let page: Page;

/**
 * Tests of the portal in a browser, on the run's `npm start`. Each test begins with a visit by a new person who is not
 * signed in. It fails if the browser complained, unless the test called `forgive` for the complaint.
 */
export function describeInPortal(name: string, tests: () => void): void {
  describeInBrowser(name, (executable) => {
    /**
     * One context for all tests, with a page that keeps its process: a new process takes most of the time of a first
     * load.
     */
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
    beforeEach(async () => {
      visited = await sitDown(context, site.portalUrl);
      ({ page } = visited);
    });
    afterEach(async () => {
      let isFree = false;
      try {
        await leave(
          visited,
          context.pages().filter((open) => open !== kept),
        );
        isFree = !hasClockHeld(context);
      } finally {
        // No later test may continue as this person, whatever happened.
        if (!isFree) await openContext();
      }
      expect(visited.complaints).toEqual([]);
    });
    tests();
  });
}

/** Tests in a browser. Without a browser they are skipped with a message, and in CI they fail. */
function describeInBrowser(name: string, tests: (executablePath: string) => void): void {
  const executable = findBrowser();
  if (executable === undefined) {
    const advice = 'install chromium, or set CHROMIUM_PATH.';
    if (process.env.CI) throw new Error(`No browser: ${advice}`);
    process.stderr.write(`Not tested in a browser: ${advice}\n`);
    describe.skip(name, () => tests(''));
    return;
  }
  describe(name, () => tests(executable));
}
