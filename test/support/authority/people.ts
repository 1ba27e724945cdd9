import type { TestBrowser, TestPortal } from '../portal.ts';
import { join, person, type TestPerson } from '../portal-team.ts';
import type { Caller } from './who-may.ts';
import { HOUR_MS } from '../times.ts';

/**
 * Browsers of one person whose sessions have expired. At the end one session has been idle for exactly two hours, and
 * the other, in constant use, is exactly twelve hours old.
 */
export async function expiredSessions(portal: TestPortal, email: string): Promise<Caller[]> {
  const [absolute, idle] = [portal.browser(), portal.browser()];
  await absolute.signIn(email);
  for (let hour = 1; hour < 12; hour++) {
    portal.clock.nowMs += HOUR_MS;
    if (hour === 10) await idle.signIn(email);
    await absolute.get('/api/session');
  }
  portal.clock.nowMs += HOUR_MS;
  return [notSignedIn('whose session was idle', idle), notSignedIn('whose session is too old', absolute)];
}

/**
 * Callers who are not signed in, one for each reason: owners whose session has ended, and cookies that are missing or
 * invented.
 */
export async function endedSessions(portal: TestPortal, owner: TestPerson, accountId: string): Promise<Caller[]> {
  const signedOut = portal.browser();
  await signedOut.signIn(owner.email);
  const replaced = portal.browser();
  await replaced.signIn(owner.email);
  const elsewhere = await join(portal, owner, accountId, 'owner');
  const deleted = await join(portal, owner, accountId, 'owner');
  const callers = [
    notSignedIn('who signed out', signedOut),
    notSignedIn('who signed in anew', replaced),
    notSignedIn('who signed out everywhere', elsewhere),
    notSignedIn('whose profile is deleted', deleted),
  ];
  await signedOut.post('/api/sign-out');
  await replaced.signIn(owner.email);
  const another = portal.browser();
  await another.signIn(elsewhere.email);
  await another.post('/api/sign-out', { everywhere: true });
  await deleted.delete('/api/profile');
  const [userId] = sessionOf(owner).split('.');
  const made = (name: string, value: string): Caller => ({ name, cookies: [`__Host-Http-session=${value}`] });
  return [
    ...callers,
    { name: 'without a session', cookies: [] },
    made('with garbage', 'garbage'),
    made('with a made-up secret', `${userId}.${'A'.repeat(43)}`),
    made('with the session of another', `${userId}.${sessionOf(await person(portal)).split('.')[1]}`),
  ];
}

/** A caller with the current cookies of a browser. They are no longer valid. */
const notSignedIn = (name: string, { jar }: TestBrowser): Caller => ({ name, cookies: jar.list() });

const sessionOf = ({ jar }: TestBrowser): string => jar.cookies.get('__Host-Http-session') ?? '';
