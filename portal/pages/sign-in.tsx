import { useEffect } from 'react';
import { Link } from 'wouter';
import { Mark } from '../components/brand.tsx';
import { ButtonLink } from '../components/button.tsx';
import { Card, Muted } from '../components/card.tsx';
import { Note } from '../components/note.tsx';
import { Outside } from '../components/outside.tsx';
import { isProfileDeleted, isSignInFailed, isSignInTooOften, pages, signInAddress } from '../routes.ts';
import sharedCss from '../styles/shared.module.css';

interface SignInPageProps {
  /** There was a session a moment ago. */
  readonly hasEnded: boolean;
}

/** The page for visitors without a session who open a page. The sign-in returns to it. */
export function SignInPage({ hasEnded }: SignInPageProps) {
  useEffect(() => {
    document.title = 'Sign in · Developer portal';
  }, []);
  return (
    <Outside>
      <SignInNotes hasEnded={hasEnded} />
      <Card>
        <span className={sharedCss.brand}>
          <Mark />
          Service
        </span>
        <div>
          <h1>Sign in</h1>
          <p>
            <Muted>
              {location.pathname.startsWith(pages.invitation(''))
                ? 'You are invited. Use the e-mail address that the invitation was sent to.'
                : 'You come back to this page.'}
            </Muted>
          </p>
        </div>
        <ButtonLink href={signInAddress(location)} kind="primary" isBig isAway>
          Sign in
        </ButtonLink>
        <p>
          <Muted>
            New here? The first sign-in makes your profile. <Link href={pages.docs}>Read the documentation</Link>.
          </Muted>
        </p>
      </Card>
    </Outside>
  );
}

/** The result of the last session or the last sign-in. */
export function SignInNotes({ hasEnded }: SignInPageProps) {
  const hasFailed = !hasEnded && isSignInFailed(location.search);
  const isTooOften = isSignInTooOften(location.search);
  return (
    <>
      {hasEnded && <Note isAlert>Your session has ended. Sign in, and you are back on this page.</Note>}
      {!hasEnded && isProfileDeleted(location.search) && (
        <Note isAlert>Your profile is deleted, and you are signed out everywhere.</Note>
      )}
      {hasFailed && isTooOften && (
        <Note kind="warn" isAlert>
          <b>You have signed in too often in this minute.</b> Nothing was changed. Wait a minute, then try again.
        </Note>
      )}
      {hasFailed && !isTooOften && (
        <Note kind="bad" isAlert>
          <b>Signing in did not work.</b> Nothing was changed. Try again, in one tab.
        </Note>
      )}
    </>
  );
}
