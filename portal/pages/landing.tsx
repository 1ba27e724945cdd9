import { useEffect } from 'react';
import { ArrowRight } from 'lucide-react';
import { Link } from 'wouter';
import { Mark as Brand } from '../components/brand.tsx';
import { ButtonLink } from '../components/button.tsx';
import { CodeTabs, PING_IN } from '../components/code-tabs.tsx';
import { pages, signInAddress } from '../routes.ts';
import { ColoursButton } from '../theme/colours-button.tsx';
import css from './landing.module.css';
import { Answer, Ledger } from './landing-ledger.tsx';
import { SignInNotes } from './sign-in.tsx';

/** The differences between the gateway and others. */
const FACTS = [
  ['Revoked means the next request', 'No cache: the first request after you revoke a key is refused.'],
  ['A quota of 100 means 100', 'Not 103, however many requests come at once.'],
  ['The bill equals the log', 'Charge and event are written together. Add up the log and check us.'],
] as const;

const STEPS = [
  ['Sign in and name a project', 'Its keys share one quota.'],
  ['Create a key', 'You see it once.'],
  ['Send a ping', 'It costs 1 unit and is in your log a second later.'],
] as const;

/** What the gateway is, for visitors without a session. */
export default function LandingPage() {
  useEffect(() => {
    document.title = 'Developer portal';
  }, []);
  const signIn = signInAddress(location);
  return (
    <div className={css.site}>
      <header className={css.head}>
        <span className={css.brand}>
          <Brand />
          Service
        </span>
        <nav className={css.nav} aria-label="Main">
          <ColoursButton />
          <ButtonLink href={pages.docs} kind="quiet">
            Documentation
          </ButtonLink>
          <ButtonLink href={signIn} isAway>
            Sign in
          </ButtonLink>
        </nav>
      </header>
      <main className={css.main}>
        <section className={css.hero}>
          <div>
            <SignInNotes hasEnded={false} />
            <h1 className={css.title}>The gateway that counts exactly</h1>
            <p className={css.lead}>
              It checks every key, limits every request and charges it once. Your first request is a minute away.
            </p>
            <div className={css.actions}>
              <ButtonLink href={signIn} kind="primary" iconAfter={ArrowRight} isBig isAway>
                Sign in
              </ButtonLink>
              <ButtonLink href={pages.docs} isBig>
                Read the quick start
              </ButtonLink>
            </div>
          </div>
          <Ledger />
        </section>
        <ul className={css.facts}>
          {FACTS.map(([title, text]) => (
            <li key={title}>
              <h2 className={css.fact}>{title}</h2>
              <p className={css.muted}>{text}</p>
            </li>
          ))}
        </ul>
        <section className={css.start}>
          <div>
            <h2 className={css.heading}>The first request</h2>
            <ol className={css.steps}>
              {STEPS.map(([title, text]) => (
                <li key={title}>
                  <b>{title}</b>
                  <span className={css.muted}>{text}</span>
                </li>
              ))}
            </ol>
          </div>
          <div className={css.exchange}>
            <CodeTabs languages={PING_IN} />
            <Answer />
          </div>
        </section>
      </main>
      <footer className={css.foot}>
        <span>Sandbox developer gateway</span>
        <Link href={pages.docs}>Quick start</Link>
        <Link href={pages.reference}>API reference</Link>
        <Link href={pages.errors}>Errors</Link>
        <Link href={pages.reportLeak}>Report a leaked key</Link>
      </footer>
    </div>
  );
}
