/**
 * `npm run screenshots`: a picture of every page of the portal in docs/images/portal, wide and light, and a sheet of
 * them all. With `--every` each page in both schemes, narrow and wide, in a folder that git ignores. Takes names of
 * pages; without any, all. The pages are those of the demo account of an `npm start` on free ports.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { DEMO_EMAIL } from '../local/identity/people.ts';

const SCHEMES = ['light', 'dark'] as const;
const WIDE = { width: 1280, height: 800 };
const SCREENS = { narrow: { width: 360, height: 780 }, wide: WIDE };
const QUALITY = 45;
const THUMBNAIL_WIDTH = 424;
const BROWSERS = ['chromium-headless-shell', 'chromium', 'google-chrome'];

const args = process.argv.slice(2);
const isEvery = args.includes('--every');
const names = args.filter((arg) => arg !== '--every');
const folder = isEvery ? 'node_modules/.cache/screenshots' : 'docs/images/portal';
const { CHROMIUM_PATH, PATH = '' } = process.env;
const installed = BROWSERS.flatMap((name) => PATH.split(delimiter).map((directory) => join(directory, name)));
const executablePath = CHROMIUM_PATH ?? installed.find((file) => existsSync(file));
if (executablePath === undefined) throw new Error('No browser: install chromium, or set CHROMIUM_PATH.');

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
const ports = Object.fromEntries(['', 'PORTAL_', 'IDENTITY_', 'MAILBOX_', 'DYNAMODB_'].map((of) => [`${of}PORT`, '0']));
const start = spawn(process.execPath, ['bin/local.ts'], {
  env: { ...process.env, ...ports, PORTAL: 'on', DEMO: 'full' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const portal = await portalOf(start.stdout);
  const inside = await browser.newContext({ baseURL: portal, reducedMotion: 'reduce', timezoneId: 'UTC' });
  const outside = await browser.newContext({ baseURL: portal, reducedMotion: 'reduce' });
  const form = await inside.request.get('/api/sign-in', { failOnStatusCode: true });
  await inside.request.post(form.url(), { form: { email: DEMO_EMAIL }, failOnStatusCode: true });
  const read = async (path: string) => (await (await inside.request.get(path)).json()) as Listed;

  const { accountId } = (await read('/api/session')).accounts[0] ?? {};
  const account = `/accounts/${accountId}`;
  const { projects } = await read(`/api${account}/projects`);
  const project = `${account}/projects/${projects.find(({ name }) => name === 'Trip planner')?.projectId}`;
  const rotated = (await read(`/api${project}/keys`)).keys.find(({ replacedBy }) => replacedBy !== null);
  const request = (await read(`/api${project}/events`)).events[0];
  const made = await inside.request.post(`/api${account}/endpoints`, {
    data: {
      url: 'https://hooks.example.com/sandbox',
      kinds: ['quota.threshold_reached', 'key.expiring', 'key.leaked'],
    },
    headers: { Origin: portal, 'Idempotency-Key': randomUUID() },
    failOnStatusCode: true,
  });
  const { endpointId } = (await made.json()) as { readonly endpointId: string };
  /** Every page of the portal, by the name of its picture. A new page adds its address. */
  const pages: Readonly<Record<string, string>> = {
    landing: '/',
    welcome: '/welcome',
    home: account,
    keys: `${project}/keys`,
    key: `${project}/keys/${rotated?.keyId}`,
    requests: `${project}/requests`,
    usage: `${project}/usage`,
    request: `${project}/requests?request=${request?.requestId}`,
    'project-settings': `${project}/settings`,
    team: `${account}/team`,
    audit: `${account}/audit`,
    settings: `${account}/settings`,
    'settings-mails': `${account}/settings/mails`,
    webhooks: `${account}/developers/webhooks`,
    endpoint: `${account}/developers/webhooks/${endpointId}`,
    tokens: `${account}/developers/tokens`,
    profile: '/profile',
    'docs-quick-start': '/docs',
    'docs-errors': '/docs/errors#RATE_LIMIT_EXCEEDED',
    'docs-limits': '/docs/limits',
    'docs-idempotency': '/docs/idempotency',
    'docs-keys': '/docs/keys',
    'docs-testing': '/docs/testing',
    'docs-webhooks': '/docs/webhooks',
    'docs-changes': '/docs/changes',
    'docs-automation': '/docs/automation',
    'docs-reference': '/docs/reference#sendPing',
    'not-found': '/nowhere',
  };
  await mkdir(folder, { recursive: true });
  const images: string[] = [];
  for (const [name, path] of Object.entries(pages).filter(([name]) => names.length === 0 || names.includes(name))) {
    const page = await (name === 'landing' ? outside : inside).newPage();
    for (const [screen, size] of isEvery ? Object.entries(SCREENS) : [['wide', WIDE] as const])
      for (const colorScheme of isEvery ? SCHEMES : (['light'] as const)) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme });
        await page.goto(path, { waitUntil: 'networkidle' });
        await page.locator('h1').first().waitFor();
        images.push(await take(page, isEvery ? `${name}-${screen}-${colorScheme}` : name));
      }
    await page.close();
    process.stdout.write(`${name}\n`);
  }
  if (!isEvery && names.length === 0) {
    const sheet = await browser.newPage({ viewport: { width: 3 * THUMBNAIL_WIDTH + 4 * 12, height: 1 } });
    const pictures = images.map((data) => `<img width=${THUMBNAIL_WIDTH} src="data:image/webp;base64,${data}">`);
    const style = 'margin:12px;display:flex;flex-wrap:wrap;gap:12px;background:#d8dadf';
    await sheet.setContent(`<body style="${style}">${pictures.join('')}`, { waitUntil: 'load' });
    await take(sheet, 'sheet', true);
  }
} finally {
  await browser.close();
  start.kill();
}

interface Listed {
  readonly accounts: readonly { readonly accountId: string }[];
  readonly projects: readonly { readonly projectId: string; readonly name: string }[];
  readonly keys: readonly { readonly keyId: string; readonly replacedBy: string | null }[];
  readonly events: readonly { readonly requestId: string }[];
}

/** The address of the portal, once its demo account is complete. */
async function portalOf(stdout: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of stdout) {
    text += chunk.toString();
    const [, portal] = /Portal +(http:\/\/localhost:\d+)/.exec(stripVTControlCharacters(text)) ?? [];
    if (portal === undefined) continue;
    // Answered once all is there.
    await (await fetch(`${portal}/api/session`)).arrayBuffer();
    return portal;
  }
  throw new Error(`npm start has ended: ${text}`);
}

/** Writes what the screen shows of a page, or the whole page, as a WebP; its bytes in base64. */
async function take(page: Page, name: string, isWhole = false): Promise<string> {
  const devtools = await page.context().newCDPSession(page);
  const { cssContentSize } = await devtools.send('Page.getLayoutMetrics');
  const { data } = await devtools.send('Page.captureScreenshot', {
    format: 'webp',
    quality: QUALITY,
    ...(isWhole && { captureBeyondViewport: true, clip: { ...cssContentSize, scale: 1 } }),
  });
  await writeFile(`${folder}/${name}.webp`, Buffer.from(data, 'base64'));
  return data;
}
