import { randomInt, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { APIResponse, Browser, BrowserContext, Page, Request } from 'playwright-core';
import { admin } from './admin.ts';
import type { Site } from './portal-site.ts';
import { portOf } from './processes.ts';
import { noteBrowser, noteLeft } from './secrets/browser.ts';
import { noteKeys, noteSecret } from './secrets/journal.ts';

/** Shorter than the timeout of a test, so that a failure names the step. */
const PAGE_TIMEOUT_MS = 10_000;
/**
 * The first request of the page is answered 401 when nobody is signed in, and the browser itself reports the status.
 */
const ANSWERED_401 = 'Failed to load resource: the server responded with a status of 401';

/** One person's browser at the portal. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly portalUrl: string;
  /** The person's address. No other test uses it. */
  readonly email: string;
  /** Every request that the browser made. */
  readonly requests: readonly Request[];
  /** Errors and warnings of the console, such as a violation of the policy, and uncaught errors. */
  readonly complaints: readonly string[];
  /** The test causes complaints with this text. They are not noted: those before this call, and repeats after it. */
  readonly forgive: (text: string) => void;
}

/** For requests without a page: an open connection would keep the test's process from ending. */
const AT_ONCE = { Connection: 'close' };
/** The range of names for people: tests of other processes share the portal. */
const NAMES = 1e12;

/** An empty browser. It moves nothing, as each frame takes processor time; {@link WITH_MOTION} changes that. */
export async function openBrowser(browser: Browser, portalUrl: string): Promise<BrowserContext> {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const context = await browser.newContext({ permissions, reducedMotion: 'reduce' });
  noteBrowser(context, portalUrl);
  return context;
}

/** Opens a new, empty browser for a new person. */
export const visit = async (browser: Browser, portalUrl: string): Promise<Visit> =>
  sitDown(await openBrowser(browser, portalUrl), portalUrl);

/** Opens a page for a new person, in a browser where nobody is signed in. */
export async function sitDown(context: BrowserContext, portalUrl: string): Promise<Visit> {
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const requests: Request[] = [];
  const complaints: string[] = [];
  const forgiven: string[] = [];
  const note = (complaint: string): void => {
    if (!forgiven.some((text) => complaint.includes(text))) complaints.push(complaint);
  };
  page.on('request', (request) => requests.push(request));
  page.on('pageerror', ({ message }) => note(message));
  page.on('console', (message) => {
    const text = message.text();
    if (!['error', 'warning'].includes(message.type())) return;
    if (text.startsWith(ANSWERED_401) && message.location().url === `${portalUrl}/api/session`) return;
    note(text);
  });
  const forgive = (text: string): void => {
    forgiven.push(text);
    complaints.splice(0, Infinity, ...complaints.filter((complaint) => !complaint.includes(text)));
  };
  const email = `person-${randomInt(NAMES)}@example.com`;
  noteSecret('e-mail address', email);
  return { page, context, portalUrl, email, requests, complaints, forgive };
}

/** Closes the person's pages and deletes what the browser stored. */
export async function leave({ context, portalUrl }: Visit, pages: readonly Page[]): Promise<void> {
  await noteLeft(context, portalUrl);
  await Promise.all(pages.map((page) => page.close()));
  await context.setStorageState({ cookies: [], origins: [] });
}

/** Browsers whose clock a test has stopped. Later tests do not use them. */
const held = new WeakSet<BrowserContext>();
export const hasClockHeld = (context: BrowserContext): boolean => held.has(context);

/** For `emulateMedia`, where a test is about what moves. */
export const WITH_MOTION = { reducedMotion: 'no-preference' } as const;

/** Stops the clock of the browser's pages, at a time if one is given. Only the test moves it. */
export async function holdClock({ context }: Pick<Visit, 'context'>, time?: number): Promise<void> {
  held.add(context);
  await context.clock.install(time === undefined ? {} : { time });
}

/** Takes the portal's time off its answers, so that a page goes by the clock of its browser, which a test moves. */
export const withoutTime = (page: Page): Promise<unknown> =>
  page.route('**/api/**', async (route) => {
    const response = await route.fetch();
    const { 'x-service-time': _told, ...headers } = response.headers();
    return route.fulfill({ response, headers });
  });

/** The menu of the signed-in person. */
export const YOU = /^You: /;

/** Chooses an entry of the menu that a button opens. */
export async function choose(page: Page, button: string | RegExp, entry: string | RegExp): Promise<void> {
  await page
    .getByRole('button', { name: button, exact: typeof button === 'string' })
    .first()
    .click();
  await page.getByRole('menu').getByText(entry).click();
}

/** Types a time, such as `2026-01-02T10:00`, into the parts of its field, in the order of the page's dates. */
export async function typeTime(page: Page, label: string, time: string): Promise<void> {
  const [date = '', clock = ''] = time.split('T');
  const [year = '', month = '', day = ''] = date.split('-');
  const [hour = '', minute = ''] = clock.split(':');
  const part = (name: RegExp) =>
    page.getByRole('group', { name: label, exact: true }).getByRole('spinbutton', { name });
  await part(/day/).click();
  await page.keyboard.type(day + month + year);
  await part(/hour/).click();
  await page.keyboard.type(hour + minute);
  await page.keyboard.press('Enter');
}

/** Signs in with the provider's form, as a person does, on the way to a page of the portal. */
export async function signIn({ page, portalUrl, email }: Visit, path = '/'): Promise<void> {
  await page.goto(portalUrl + path);
  await page.getByRole('link', { name: 'Sign in' }).first().click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Sign in' }).click();
  // The documentation has its own header, without that menu.
  await page
    .getByRole('button', { name: YOU })
    .or(page.getByRole('button', { name: 'Colours' }))
    .waitFor();
}

/**
 * Signs in with the same requests and without a page, for tests of later steps. A page takes a second of CPU time, and
 * the sign-in has three pages.
 */
export async function enter({ context, portalUrl, email }: Visit): Promise<void> {
  const options = { headers: AT_ONCE, failOnStatusCode: true };
  const form = await context.request.get(`${portalUrl}/api/sign-in`, options);
  const callback = await context.request.post(form.url(), { ...options, form: { email } });
  if (!callback.url().startsWith(portalUrl)) throw new Error(`not signed in: at ${callback.url()}`);
}

/** Sends a change with the browser's session, as the app does, and returns the body of the response. */
export async function change<Answer>(
  { context, portalUrl }: Visit,
  method: string,
  path: string,
  data: object = {},
): Promise<Answer> {
  const headers = { ...AT_ONCE, Origin: portalUrl, 'Idempotency-Key': randomUUID() };
  const response = await context.request.fetch(portalUrl + path, { method, headers, data });
  const text = await response.text();
  if (!response.ok()) throw new Error(`${method} ${path}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

/** The response to a read of a path with the browser's session, if it has one. */
export const read = ({ context, portalUrl }: Visit, path: string): Promise<APIResponse> =>
  context.request.get(portalUrl + path, { headers: AT_ONCE });

/** A signed-in person with an account and a project. */
export interface Settled extends Visit {
  readonly accountId: string;
  readonly projectId: string;
  /** Address of a page of the project. */
  readonly projectPath: string;
}

/** Signs in and creates an account and a project, with requests only: no page is open. */
export async function settle(visited: Visit, projectName = 'Trip planner'): Promise<Settled> {
  await enter(visited);
  const { accountId } = await change<{ accountId: string }>(visited, 'POST', '/api/accounts', { name: 'My team' });
  const projects = `/api/accounts/${accountId}/projects`;
  const { projectId } = await change<{ projectId: string }>(visited, 'POST', projects, { name: projectName });
  return { ...visited, accountId, projectId, projectPath: `/accounts/${accountId}/projects/${projectId}` };
}

/** Does the same, then opens the project's keys with the form for the first key. */
export async function settleAtKeys(visited: Visit): Promise<Settled> {
  const settled = await settle(visited);
  await visited.page.goto(`${visited.portalUrl}${settled.projectPath}/keys`);
  // The page's last request is done: the browser would complain of a request that a sign-out refuses.
  await settled.page.getByLabel('Name of the key').waitFor();
  return settled;
}

/** Creates a key with the open form, and returns it as the dialog shows it. */
export async function createKey({ page }: Visit, name: string): Promise<string> {
  await page.getByLabel('Name of the key').fill(name);
  await page.getByRole('button', { name: 'Create key' }).last().click();
  return shownKey(page);
}

/** The key in the dialog that shows one. */
export async function shownKey(page: Page): Promise<string> {
  const dialog = page.getByRole('alertdialog', { name: 'Your new key. You see it only now' });
  const text = await dialog.locator('code').first().innerText();
  noteKeys(text);
  if (!/^svc_test_[0-9A-Za-z]{42}$/.test(text)) throw new Error('The dialog shows no key.');
  return text;
}

/** Copies the key, then closes the dialog that shows it. */
export async function closeKey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Copy the key' }).click();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
}

/** Creates a key with a request; `path` is that of the API for this key. */
export async function newKey(settled: Settled, details: object = {}) {
  const keys = `/api${settled.projectPath}/keys`;
  const made = await change<{ keyId: string; key: string }>(settled, 'POST', keys, details);
  return { ...made, keys, path: `${keys}/${made.keyId}` };
}

/** Signs in and creates an account, a project and a key, with requests only. */
export async function settleWithKey(visited: Visit, details: object = { name: 'CI' }) {
  const settled = await settle(visited);
  return { ...settled, ...(await newKey(settled, details)) };
}

/** Another person, signed in, whom the account has invited. */
export async function invited(settled: Settled, browser: Browser, role = 'member'): Promise<Visit> {
  const other = await visit(browser, settled.portalUrl);
  await change(settled, 'POST', `/api/accounts/${settled.accountId}/members`, { email: other.email, role });
  await enter(other);
  return other;
}
/** Another person who has joined the account. */
export async function joined(settled: Settled, browser: Browser, role = 'member'): Promise<Visit> {
  const other = await invited(settled, browser, role);
  await change(other, 'POST', `/api/invitations/${settled.accountId}/accept`);
  return other;
}

/** Runs a command of the platform team on the portal's database. */
export async function operate({ databaseUrl }: Site, ...args: string[]): Promise<void> {
  const { status, stderr } = await admin([...args, '--local'], { DYNAMODB_PORT: portOf(databaseUrl) });
  if (status !== 0) throw new Error(stderr);
}

/** Holds back all requests to a path until the returned function is called. */
export async function hold(page: Page, path: string): Promise<() => void> {
  const { promise: held, resolve } = Promise.withResolvers<undefined>();
  await page.route(path, async (route) => {
    await held;
    return route.fallback();
  });
  return () => resolve(undefined);
}

/** Lets requests of a method arrive, and loses their answers until `page.unrouteAll`. */
export const loseAnswers = (page: Page, method: string, path: string): Promise<unknown> =>
  page.route(path, async (route) => {
    if (route.request().method() !== method) return route.fallback();
    await route.fetch();
    return route.abort();
  });

/** The file that an action downloads: its name and its text. */
export async function downloaded(page: Page, act: () => Promise<void>) {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}
