import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

/** What a Chromium is called, by Debian and by Google. The first has no window's parts: it takes half the time of the others. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];
/** As in a container, without a sandbox or much shared memory; whatever a page asks for, nothing leaves this machine. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  // None is started for a page that may come next: it would be for a context that a test soon closes.
  '--renderer-process-limit=1',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** The browser of this machine: the file in `CHROMIUM_PATH`, else the first of its names on `PATH`. */
export function findBrowser(): string | undefined {
  const { CHROMIUM_PATH, PATH = '' } = process.env;
  if (CHROMIUM_PATH) return CHROMIUM_PATH;
  const directories = PATH.split(delimiter);
  return NAMES.flatMap((name) => directories.map((directory) => join(directory, name))).find((file) =>
    existsSync(file),
  );
}

/** Starts a browser without a window. */
export const launch = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: ARGUMENTS });
