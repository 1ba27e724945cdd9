import { use, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import type { Account } from '../api/queries.ts';
import { Mark } from '../components/brand.tsx';
import { ButtonLink } from '../components/button.tsx';
import { SkipLink } from '../components/shell.tsx';
import { CONTRACT } from '../gateway/contract.ts';
import { ERRORS } from '../gateway/errors.ts';
import { pages } from '../routes.ts';
import { SearchButton } from '../search/search-button.tsx';
import { SessionContext } from '../session.ts';
import { ColoursButton } from '../theme/colours-button.tsx';
import { Simulating } from '../try-it/simulating.tsx';
import { TryIt } from '../try-it/try-it.tsx';
import css from './docs-shell.module.css';
import sharedCss from '../styles/shared.module.css';
import { useHash } from './use-anchor.ts';

/** The pages by group, each with those of its sections that have an address. */
const CONTENTS = [
  ['Start', [['Quick start', pages.docs, []]]],
  [
    'How it works',
    [
      ['Keys and leaks', pages.keysAndLeaks, []],
      ['Idempotency', pages.idempotency, []],
      ['Limits', pages.limits, []],
      ['Testing', pages.testing, []],
      ['Webhooks', pages.webhooks, []],
      ['Automation', pages.automation, []],
    ],
  ],
  [
    'Reference',
    [
      ['Errors', pages.errors, ERRORS.map(({ code }) => [code, code] as const)],
      [
        'API reference',
        pages.reference,
        CONTRACT.operations.map(({ operationId, method, path }) => [operationId, `${method} ${path}`] as const),
      ],
      ['Changes', pages.changes, []],
    ],
  ],
] as const;

interface DocsShellProps {
  readonly account: Account | undefined;
  readonly children: ReactNode;
}

/** The frame of the documentation, for everybody: its own header and its contents. */
export function DocsShell({ account, children }: DocsShellProps) {
  const session = use(SessionContext);
  return (
    <div className={css.shell}>
      <SkipLink />
      <header className={css.head}>
        <Link href={pages.home} className={sharedCss.brand ?? ''} aria-label="Service">
          <Mark />
          <span className={css.wideOnly}>Service</span>
        </Link>
        <span className={css.title}>Documentation</span>
        <SearchButton session={session} account={account} />
        <ColoursButton />
        <span className={css.wideOnly}>
          <ButtonLink href={account ? pages.account(account.accountId) : pages.home}>Open the portal</ButtonLink>
        </span>
      </header>
      <Contents />
      <Simulating>
        <main id="content" className={css.main} tabIndex={-1}>
          {children}
        </main>
        <aside className={css.side}>
          <TryIt account={account} />
        </aside>
      </Simulating>
    </div>
  );
}

function Contents() {
  const [location] = useLocation();
  const anchor = useHash();
  return (
    <nav className={css.contents} aria-label="Documentation">
      {CONTENTS.map(([title, entries]) => (
        <div key={title} className={css.group}>
          <div className={css.groupTitle}>{title}</div>
          {entries.map(([words, address, parts]) => (
            <div key={address} className={css.group}>
              <Link href={address} className={css.link ?? ''} aria-current={address === location ? 'page' : undefined}>
                {words}
              </Link>
              {address === location && parts.length > 0 && (
                <ul className={css.parts}>
                  {parts.map(([id, name]) => (
                    <li key={id}>
                      <a href={`#${id}`} className={css.part} aria-current={id === anchor ? 'location' : undefined}>
                        {name}
                      </a>
                    </li>
                  ))}
                </ul>
              )}
            </div>
          ))}
        </div>
      ))}
    </nav>
  );
}
