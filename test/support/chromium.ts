import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

/** Names of Chromium, by Debian and by Google. The first has no window, and needs half the processor time. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];
/** For a container: no sandbox, little shared memory. Nothing that a page requests leaves this machine. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  // No renderer in reserve: it would belong to a context that a test closes soon.
  '--renderer-process-limit=1',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** The installed browser: the file in `CHROMIUM_PATH`, else the first of these names on `PATH`. */
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
