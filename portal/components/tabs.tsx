import { Link } from 'wouter';
import css from './tabs.module.css';

interface TabsProps {
  /** The name of the group of pages. */
  readonly label: string;
  readonly tabs: readonly (readonly [words: string, address: string])[];
  /** The title of the present page. */
  readonly current: string;
}

/** Links to the pages of a group. */
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
