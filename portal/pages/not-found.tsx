import { Link } from 'wouter';
import { Page } from '../components/page.tsx';
import { pages } from '../routes.ts';
import { useSession } from '../session.ts';
import { ownName } from '../text/names.ts';

/** For an address that is of no page, or of something that the person may not know of. */
export function NotFoundPage() {
  const { user } = useSession();
  return (
    <Page title="There is nothing here">
      <p>
        The address may be mistyped, what it named may be closed, or it belongs to an account that you are no member of.
        You are signed in as <bdi>{ownName(user)}</bdi>: a link from somebody else works when an owner of its account
        has invited you.
      </p>
      <p>
        Go to <Link href={pages.home}>your projects</Link>.
      </p>
    </Page>
  );
}
