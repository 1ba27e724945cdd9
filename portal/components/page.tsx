import { useEffect, useRef, type ReactNode } from 'react';
import { Below, Muted } from './card.tsx';
import css from './page.module.css';

interface PageProps {
  /** The position of the page, above the title. */
  readonly crumbs?: ReactNode;
  /** Undefined: it is being read. */
  readonly title: string | undefined;
  /** The title of the tab, if it is another. */
  readonly tabTitle?: string;
  /** Beside the title. */
  readonly aside?: ReactNode;
  /** A sentence below the title. */
  readonly about?: ReactNode;
  /** The page's one primary action. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

let isFirstPage = true;

/**
 * A page. Its title is in the tab, too. It is focused when another page leads here, so screen readers announce it,
 * unless a field has the focus.
 */
export function Page({ crumbs, title, tabTitle = title, aside, about, action, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = [tabTitle, 'Developer portal'].filter(Boolean).join(' · ');
  }, [tabTitle]);
  useEffect(() => {
    const hasFocus = document.activeElement?.closest('main');
    if (!isFirstPage && !hasFocus) heading.current?.focus({ preventScroll: true });
    isFirstPage = false;
  }, []);
  return (
    <>
      <header className={css.head}>
        <div className={crumbs ? css.placed : css.titles}>
          {crumbs}
          <div className={css.title}>
            <h1 ref={heading} tabIndex={-1}>
              {title === undefined ? <Muted>…</Muted> : <bdi>{title}</bdi>}
            </h1>
            {aside}
          </div>
          {about && <Below>{about}</Below>}
        </div>
        {action}
      </header>
      {children}
    </>
  );
}
