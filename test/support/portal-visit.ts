import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { noteBrowser } from './secrets/browser.ts';
import { noteKeys, noteSecret } from './secrets/journal.ts';

/** Shorter than a test's, so that a failure names the step. */
const PAGE_TIMEOUT_MS = 10_000;
/** What the page asks first, and is told that nobody is signed in: the browser itself complains of the status. */
const ANSWERED_401 = 'Failed to load resource: the server responded with a status of 401';

/** One person's browser at the portal. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly portalUrl: string;
  /** Of the person, who is nobody else's test's. */
  readonly email: string;
  /** Every request that the browser made. */
  readonly requests: readonly Request[];
  /** Errors and warnings of the console, such as a refusal by the policy, and errors that no one caught. */
  readonly complaints: readonly string[];
  /** Takes back the complaints with this text, which the test caused. */
  readonly forgive: (text: string) => void;
}

let people = 0;

/** Opens a browser of its own, with nothing in it, for a new person. */
export async function visit(browser: Browser, portalUrl: string): Promise<Visit> {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const requests: Request[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request));
  noteBrowser(context, portalUrl);
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    const text = message.text();
    if (!['error', 'warning'].includes(message.type())) return;
    if (text.startsWith(ANSWERED_401) && message.location().url === `${portalUrl}/api/session`) return;
    complaints.push(text);
  });
  const forgive = (text: string): void => {
    complaints.splice(0, Infinity, ...complaints.filter((complaint) => !complaint.includes(text)));
  };
  const email = `person-${++people}@example.com`;
  noteSecret('e-mail address', email);
  return { page, context, portalUrl, email, requests, complaints, forgive };
}

/** Signs in at the provider, on the way to a page of the portal. */
export async function signIn({ page, portalUrl, email }: Visit, path = '/'): Promise<void> {
  await page.goto(portalUrl + path);
  await page.getByRole('link', { name: 'Sign in' }).first().click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor();
}

/** Sends a change from the portal's own page, as the app does, and returns the answer's body. */
export async function change<Answer>(
  { page }: Visit,
  method: string,
  path: string,
  body: object = {},
): Promise<Answer> {
  const sent = await page.evaluate(
    async ([verb, address, text]) => {
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() };
      const response = await fetch(address, { method: verb, headers, body: text });
      return { isDone: response.ok, text: await response.text() };
    },
    [method, path, JSON.stringify(body)] as const,
  );
  if (!sent.isDone) throw new Error(`${method} ${path}: ${sent.text}`);
  return (sent.text === '' ? undefined : JSON.parse(sent.text)) as Answer;
}

/** A signed-in person with an account and a project, at the project's keys. */
export interface Settled extends Visit {
  readonly accountId: string;
  readonly projectId: string;
  /** Address of a page of the project. */
  readonly projectPath: string;
}

/** Signs in and makes an account and a project, without going through their forms. */
export async function settle(visited: Visit, projectName = 'Trip planner'): Promise<Settled> {
  await signIn(visited);
  const { accountId } = await change<{ accountId: string }>(visited, 'POST', '/api/accounts', { name: 'My team' });
  const projects = `/api/accounts/${accountId}/projects`;
  const { projectId } = await change<{ projectId: string }>(visited, 'POST', projects, { name: projectName });
  const projectPath = `/accounts/${accountId}/projects/${projectId}`;
  await visited.page.goto(`${visited.portalUrl}${projectPath}/keys`);
  return { ...visited, accountId, projectId, projectPath };
}

/** Creates a key by the form that is open, and returns it as the dialog shows it. */
export async function createKey({ page }: Visit, name: string): Promise<string> {
  await page.getByLabel('Name of the key').fill(name);
  await page.getByRole('button', { name: 'Create key' }).last().click();
  return shownKey(page);
}

/** The key in the dialog that shows one. */
export async function shownKey(page: Page): Promise<string> {
  const dialog = page.getByRole('alertdialog', { name: 'Your new key, shown this once' });
  const text = await dialog.locator('code').first().innerText();
  noteKeys(text);
  if (!/^svc_test_[0-9A-Za-z]{42}$/.test(text)) throw new Error('The dialog shows no key.');
  return text;
}

/** Closes the dialog that shows a key, after copying it. */
export async function closeKey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Copy the key' }).click();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
}
