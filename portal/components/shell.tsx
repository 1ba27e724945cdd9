import type { ReactNode } from 'react';
import { Folder } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { projectPageQuery, type Account, type Session } from '../api/queries.ts';
import { pages } from '../routes.ts';
import { SearchButton } from '../search/search-button.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Icon } from './icon.tsx';
import { PersonMenu } from './person-menu.tsx';
import { usePlaces, type Place } from './places.ts';
import css from './shell.module.css';
import sharedCss from '../styles/shared.module.css';

interface ShellProps {
  readonly session: Session;
  /** The account of the page. Undefined: it belongs to none. */
  readonly account: Account | undefined;
  readonly children: ReactNode;
}

/**
 * The frame of every page: navigation at the left, with icons only where there is less room; on narrow screens a bar at
 * the top and one at the bottom, which inside a project leads to its pages.
 */
export function Shell({ session, account, children }: ShellProps) {
  const { places, docs } = usePlaces(account);
  return (
    <div className={css.shell}>
      <SkipLink />
      <nav className={css.nav} aria-label="Main">
        <div className={css.top}>
          <AccountMenu session={session} account={account} />
          <SearchButton session={session} account={account} />
        </div>
        <div className={css.links}>
          {places.map((place) => (
            <NavLink key={place.words} of={place} />
          ))}
          {account && <Projects account={account} />}
          <div className={css.rest} />
          <NavLink of={docs} />
          <PersonMenu user={session.user} account={account} />
        </div>
      </nav>
      <main id="content" className={css.main} tabIndex={-1}>
        <div className={css.page}>{children}</div>
      </main>
    </div>
  );
}

/** Lets keyboard users skip the navigation. */
export const SkipLink = () => (
  <a href="#content" className={css.skip}>
    Skip to the content
  </a>
);

function NavLink({ of: { words, icon, to, parts, only } }: { readonly of: Place }) {
  const [location] = useLocation();
  const isHere = location === to || (parts === undefined && location.startsWith(`${to}/`));
  const isWithin = parts !== undefined && location.startsWith(parts);
  return (
    <Link
      href={to}
      className={[css.link, only && css[only], isWithin && css.within].filter(Boolean).join(' ')}
      aria-current={isHere ? 'page' : undefined}
      aria-label={words}
      title={words}
    >
      <Icon of={icon} />
      <span className={css.label}>{words}</span>
    </Link>
  );
}

/** The projects of the account, each with its link. If there are very many, only the first ones. */
function Projects({ account: { accountId } }: { readonly account: Account }) {
  const [location] = useLocation();
  const { data } = useQuery({ ...projectPageQuery(accountId), refetchInterval: false });
  if (!data || data.projects.length === 0) return null;
  return (
    <ul className={css.projects} aria-labelledby="nav-projects">
      <li className={sharedCss.heading} id="nav-projects" aria-hidden>
        Projects
      </li>
      {data.projects.map(({ projectId, name }) => (
        <li key={projectId}>
          <Link
            href={pages.keys(accountId, projectId)}
            className={css.project ?? ''}
            aria-current={location.includes(`/${projectId}/`) ? 'page' : undefined}
          >
            <Icon of={Folder} />
            <bdi>{name}</bdi>
          </Link>
        </li>
      ))}
      {data.cursor !== null && (
        <li>
          <Link href={pages.account(accountId)} className={css.project ?? ''}>
            More projects
          </Link>
        </li>
      )}
    </ul>
  );
}
