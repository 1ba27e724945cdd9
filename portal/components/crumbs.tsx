import { Fragment, type ReactNode } from 'react';
import { ChevronRight } from 'lucide-react';
import { Link } from 'wouter';
import css from './crumbs.module.css';
import { Icon } from './icon.tsx';

interface CrumbsProps {
  /** From the outermost in. Undefined: its name is being read. */
  readonly places: readonly (readonly [words: string | undefined, address: string])[];
  /** The page itself. */
  readonly here: ReactNode;
}

/** The position of a page, with links to the levels above it. */
export const Crumbs = ({ places, here }: CrumbsProps) => (
  <nav className={css.crumbs} aria-label="Where you are">
    {places.map(([words, address]) => (
      <Fragment key={address}>
        <Link href={address}>
          <bdi>{words ?? '…'}</bdi>
        </Link>
        <Icon of={ChevronRight} size="small" />
      </Fragment>
    ))}
    <span aria-current="page">{here}</span>
  </nav>
);
