import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import type { Account, Session } from '../api/queries.ts';
import { SearchButton } from '../search/search-button.tsx';
import { pages, signInAddress } from '../routes.ts';
import { ownName } from '../text/names.ts';
import css from './shell.module.css';
import { SignOutButton } from './sign-out.tsx';
import { ThemeChoice } from '../theme/theme-choice.tsx';

interface ShellProps {
  /** Undefined: nobody is signed in, or it is not known who. */
  readonly session: Session | undefined;
  /** The account whose page this is; undefined: a page of none. */
  readonly account: Account | undefined;
  readonly children: ReactNode;
}

/** What is around every page: navigation at the left, at the top where it is narrow. */
export function Shell({ session, account, children }: ShellProps) {
  const [location] = useLocation();
  const { user, invitations = [], invitationsCursor = null } = session ?? {};
  const invited = `${invitations.length}${invitationsCursor === null ? '' : '+'}`;
  return (
    <div className={css.shell}>
      <a href="#content" className={css.skip}>
        Skip to the content
      </a>
      <nav className={css.nav} aria-label="Main">
        <Accounts session={session} account={account} key={location} />
        <div className={css.links}>
          <SearchButton session={session} account={account} />
          {account && (
            <>
              <NavLink to={pages.projects(account.accountId)}>Projects</NavLink>
              <NavLink to={pages.team(account.accountId)}>Team</NavLink>
              {account.role === 'owner' && <NavLink to={pages.audit(account.accountId)}>Audit</NavLink>}
              <NavLink to={pages.settings(account.accountId)}>Settings</NavLink>
            </>
          )}
          <NavLink to={pages.docs}>Docs</NavLink>
          {account && invited !== '0' && <NavLink to={pages.welcome}>{`Invitations (${invited})`}</NavLink>}
        </div>
        <div className={css.who}>
          {user && (
            <div className={css.person}>
              <bdi>{ownName(user)}</bdi>
              {account && <div className={css.role}>{account.role}</div>}
            </div>
          )}
          <ThemeChoice />
          <div className={css.signOut}>
            {user ? (
              <>
                <NavLink to={pages.profile}>Profile</NavLink>
                <SignOutButton />
              </>
            ) : (
              <a href={signInAddress({ pathname: location, search: '' })} className={css.link}>
                Sign in
              </a>
            )}
          </div>
        </div>
      </nav>
      <main id="content" className={css.main} tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function NavLink({ to, children }: { readonly to: string; readonly children: string }) {
  const [location] = useLocation();
  const isCurrent = location === to || location.startsWith(`${to}/`);
  return (
    <Link href={to} className={css.link ?? ''} aria-current={isCurrent ? 'page' : undefined}>
      {children}
    </Link>
  );
}

/** The account that is open, and the way to the others. */
function Accounts({ session, account }: Pick<ShellProps, 'session' | 'account'>) {
  const { accounts = [] } = session ?? {};
  if (accounts.length === 0) return <span className={css.account}>Developer portal</span>;
  if (!account) {
    return (
      <div className={css.links}>
        {accounts.map(({ accountId, name }) => (
          <Link key={accountId} href={pages.projects(accountId)} className={css.link ?? ''}>
            <bdi>{name}</bdi>
          </Link>
        ))}
      </div>
    );
  }
  const others = accounts.filter(({ accountId }) => accountId !== account.accountId);
  return (
    <details>
      <summary className={css.account}>
        <bdi>{account.name}</bdi>
      </summary>
      <ul className={css.others}>
        {others.map(({ accountId, name }) => (
          <li key={accountId}>
            <Link href={pages.projects(accountId)} className={css.link ?? ''}>
              <bdi>{name}</bdi>
            </Link>
          </li>
        ))}
        <li>
          <Link href={pages.welcome} className={css.link ?? ''}>
            New account
          </Link>
        </li>
      </ul>
    </details>
  );
}
