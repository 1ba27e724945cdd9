import { Link, useSearchParams } from 'wouter';
import type { AuditFilter } from '../api/people-queries.ts';
import { filterOf, withFilter } from '../audit/audit-filter.ts';
import { Changes } from '../audit/changes.tsx';
import { Page } from '../components/page.tsx';
import { pages } from '../routes.ts';
import type { AccountPage } from '../session.ts';

/** Who changed what in an account, for its owners. The filter is in the address. */
export default function AuditPage({ account: { accountId, role } }: AccountPage) {
  const [search, setSearch] = useSearchParams();
  const filter = filterOf(search);
  const change = (changes: AuditFilter): void => {
    // The shown view may be older than the address, or may belong to a page that was just left.
    if (location.pathname !== pages.audit(accountId)) return;
    const present = new URLSearchParams(location.search);
    setSearch(withFilter(present, { ...filterOf(present), ...changes }), { replace: true });
  };
  if (role !== 'owner') {
    return (
      <Page title="Audit">
        <p>
          Only owners of the account see who changed what. The owners are on the page{' '}
          <Link href={pages.team(accountId)}>Team</Link>.
        </p>
      </Page>
    );
  }
  return (
    <Page title="Audit" about="Who changed what, newest first. Former members are named while they have a profile.">
      <Changes accountId={accountId} filter={filter} onChange={change} />
    </Page>
  );
}
