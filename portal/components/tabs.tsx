import { Link } from 'wouter';
import css from './tabs.module.css';

interface TabsProps {
  /** What the pages belong to. */
  readonly label: string;
  readonly tabs: readonly (readonly [words: string, address: string])[];
  /** Words of the page that is open. */
  readonly current: string;
}

/** Links to pages that belong together. */
export const Tabs = ({ label, tabs, current }: TabsProps) => (
  <nav className={css.tabs} aria-label={label}>
    {tabs.map(([words, address]) => (
      <Link
        key={address}
        href={address}
        className={css.tab ?? ''}
        aria-current={words === current ? 'page' : undefined}
      >
        {words}
      </Link>
    ))}
  </nav>
);
