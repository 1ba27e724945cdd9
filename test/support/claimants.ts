import { randomUUID } from 'node:crypto';
import { DEFAULT_LIMITS, type Limits } from '../../functions/accounts/store/limits.ts';
import { ledBack, trustingProvider, type Stranger } from './changes/provider.ts';
import { testGateway } from './gateway.ts';
import { testPortal, type PortalAnswer, type TestBrowser } from './portal.ts';
import { created } from './portal-team.ts';

/** A new person. */
export function somebody(): Stranger {
  const subject = randomUUID();
  return { subject, profile: { email: `${subject}@example.com`, emailVerified: true, name: 'Ada' } };
}

/** A portal in which one person can sign in again and again, also where their profile was deleted. */
export function claimants(limits: Partial<Limits> = {}) {
  const portal = testPortal(trustingProvider, { limits: { ...DEFAULT_LIMITS, changesPerMinute: 1_000, ...limits } });

  /** The callback URL for a browser that has begun to sign in. */
  const callbackOf = async (browser: TestBrowser, claims: Stranger): Promise<URL> =>
    ledBack(await browser.begin(), claims);
  const signIn = async (browser: TestBrowser, claims: Stranger): Promise<PortalAnswer> =>
    browser.navigate(await callbackOf(browser, claims));
  const person = async (claims: Stranger = somebody()): Promise<TestBrowser> => {
    const browser = portal.browser();
    await signIn(browser, claims);
    return browser;
  };
  /** A person who has signed in, with an account. */
  const team = async (claims: Stranger = somebody()) => {
    const browser = await person(claims);
    const { accountId = '' } = await created(browser.post('/api/accounts', { name: 'Team' }));
    const account = `/api/accounts/${accountId}`;
    return { browser, claims, accountId, account, projects: `${account}/projects`, members: `${account}/members` };
  };
  /** The same with a project. */
  const project = async () => {
    const made = await team();
    const { projectId = '' } = await created(made.browser.post(made.projects, { name: 'Trips' }));
    return { ...made, keys: `${made.projects}/${projectId}/keys` };
  };
  return { portal, gateway: testGateway({ clock: portal.clock }), callbackOf, signIn, person, team, project };
}

/** An answer in short: its status, and of an error its code. */
export const outcomeOf = ({ status, body }: PortalAnswer): string =>
  status >= 400 ? `${status} ${(body as { code: string }).code}` : String(status);

/** The outcomes of parallel requests, with their numbers. */
export async function atOnce(
  count: number,
  ask: (i: number) => Promise<PortalAnswer>,
): Promise<Readonly<Record<string, number>>> {
  const answers = await Promise.all(Array.from({ length: count }, (_, i) => ask(i)));
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[outcomeOf(answer)] = (counts[outcomeOf(answer)] ?? 0) + 1;
  return counts;
}
