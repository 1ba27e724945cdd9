import { useEffect, useRef, type ReactNode } from 'react';
import css from './page.module.css';

interface PageProps {
  readonly title: string;
  /** Where the page belongs: links, above the title. */
  readonly crumb?: ReactNode;
  /** A sentence below the title. */
  readonly about?: ReactNode;
  /** The page's one primary action. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

let isFirstPage = true;

/** A page: its title in the tab too, and focused when one comes from another page, so that it is read out, unless a field has it. */
export function Page({ title, crumb, about, action, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Developer portal`;
  }, [title]);
  useEffect(() => {
    const hasFocus = document.activeElement?.closest('main');
    if (!isFirstPage && !hasFocus) heading.current?.focus();
    isFirstPage = false;
  }, []);
  return (
    <>
      <header className={css.head}>
        <div className={css.titles}>
          {crumb && <p className={css.muted}>{crumb}</p>}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {about && <p className={css.muted}>{about}</p>}
        </div>
        {action}
      </header>
      {children}
    </>
  );
}
