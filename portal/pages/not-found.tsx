import { Link } from 'wouter';
import { Card } from '../components/card.tsx';
import { Page } from '../components/page.tsx';
import { pages } from '../routes.ts';
import { useSession } from '../session.ts';
import { ownName } from '../text/names.ts';

/** For an address without a page, or of an object that the person must not see. */
export function NotFoundPage() {
  const { user } = useSession();
  return (
    <Page title="There is nothing here">
      <Card>
        <p>
          Perhaps the address has a mistake, or what was here is closed, or it belongs to an account that you are not
          in. You are signed in as <bdi>{ownName(user)}</bdi>. A link from somebody else works when an owner of that
          account has invited you.
        </p>
        <p>
          Go to <Link href={pages.home}>your projects</Link>.
        </p>
      </Card>
    </Page>
  );
}
