import { useEffect } from 'react';
import { Link } from 'wouter';
import { ButtonLink } from '../components/button.tsx';
import { Note } from '../components/note.tsx';
import { Outside } from '../components/outside.tsx';
import { isProfileDeleted, isSignInFailed, isSignInTooOften, pages, signInAddress } from '../routes.ts';

interface SignInPageProps {
  /** Somebody was signed in a moment ago. */
  readonly hasEnded: boolean;
}

/** What is shown to who is not signed in, at any address: signing in comes back to it. */
export function SignInPage({ hasEnded }: SignInPageProps) {
  const hasFailed = !hasEnded && isSignInFailed(location.search);
  const isTooOften = isSignInTooOften(location.search);
  useEffect(() => {
    document.title = 'Sign in · Developer portal';
  }, []);
  return (
    <Outside>
      <div>
        <h1>Developer portal</h1>
        <p>Projects, test keys and usage of the sandbox gateway.</p>
        <p>
          New here? Sign in, too: that is all there is to sign up. Or read the{' '}
          <Link href={pages.docs}>documentation</Link> first.
        </p>
      </div>
      {hasEnded && <Note isAlert>Your session has ended. Sign in to come back to this page.</Note>}
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
          {location.protocol === 'http:' && (
            <>
              {' '}
              If it fails again, this browser may drop secure cookies on http://localhost, as Safari does: use another.
            </>
          )}
        </Note>
      )}
      <div>
        <ButtonLink href={signInAddress(location)}>Sign in</ButtonLink>
      </div>
    </Outside>
  );
}
