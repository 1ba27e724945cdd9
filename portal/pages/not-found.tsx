import { Link } from 'wouter';
import { Page } from '../components/page.tsx';
import { pages } from '../routes.ts';

/** For an address that is of no page, or of something that the person may not know of. */
export const NotFoundPage = () => (
  <Page title="There is nothing here">
    <p>
      The address may be mistyped, what it named may be closed, or it belongs to an account that you are no member of.
      Go to <Link href={pages.home}>your projects</Link>.
    </p>
  </Page>
);
