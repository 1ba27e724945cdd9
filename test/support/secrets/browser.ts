import type { BrowserContext, Page } from 'playwright-core';
import { noteOutput, noteSecret } from './journal.ts';
import { noteSignIn } from './sign-in.ts';

const CALLBACK = '/api/sign-in/callback';

/**
 * Notes the traces of a browser for the search of the run: every address that it requests and, when it is closed, what
 * its pages store and show. It notes its sessions and sign-ins as secrets.
 */
export function noteBrowser(context: BrowserContext, portalUrl: string): void {
  context.on('request', (request) => {
    const url = new URL(request.url());
    // The provider's addresses and the callback's own may contain these values. The code of another sign-in would be an
    // error.
    if (url.pathname === CALLBACK || isProviders(url, portalUrl)) {
      noteSignIn(url);
      url.search = '';
    }
    noteOutput('an address that a browser asked for', decodeURI(url.href));
  });
  const close = context.close.bind(context);
  context.close = async (...how) => {
    await noteLeft(context, portalUrl);
    await close(...how);
  };
}

/** Notes the content of a browser when a person leaves it. */
export async function noteLeft(context: BrowserContext, portalUrl: string): Promise<void> {
  for (const { name, value } of await context.cookies(portalUrl))
    if (name === '__Host-Http-session') noteSecret('secret of a session', value.split('.')[1] ?? '');
  for (const page of context.pages()) if (page.url().startsWith(portalUrl)) await noteTraces(page);
}

const isProviders = ({ hostname }: URL, portalUrl: string): boolean => hostname !== new URL(portalUrl).hostname;

/** Runs in the page: what it stores, shows and uses as names. It is a text because its types are not Node's. */
const TRACES = `(async () => {
  const requestsOf = async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url);
  const kept = [
    Object.entries(localStorage), Object.entries(sessionStorage), await indexedDB.databases(), document.cookie, name,
    await Promise.all((await caches.keys()).map(requestsOf)),
    history.state, navigation.entries().map((entry) => [entry.url, entry.getState()]),
  ];
  const named = [...document.querySelectorAll('[aria-label], [title], [value]')].flatMap((element) =>
    ['aria-label', 'title', 'value'].map((name) => element.getAttribute(name) ?? ''));
  const shown = [document.title, document.body.innerText, ...named];
  return { kept: JSON.stringify(kept), shown: shown.join('\\n') };
})()`;

/** What a page keeps in the browser and shows, as texts. */
export const tracesOf = (page: Page) => page.evaluate<{ readonly kept: string; readonly shown: string }>(TRACES);

/**
 * Notes what a page of the portal stores and shows. The person's own addresses are allowed there.
 */
async function noteTraces(page: Page): Promise<void> {
  // A page that is navigating has no content.
  const nothing = { kept: '', shown: '' };
  const { kept, shown } = await tracesOf(page).catch(() => nothing);
  noteOutput('what a page keeps in the browser', kept);
  // Only the examples of the documentation have a body: the portal never receives one.
  noteOutput('what a page shows', shown, ['e-mail address', 'clientRequestId', 'request body']);
}
