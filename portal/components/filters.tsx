import type { ReactNode } from 'react';
import css from './filters.module.css';

/** Fields that say which rows of a list are shown. */
export const Filters = ({ children }: { readonly children: ReactNode }) => (
  <div role="group" aria-label="Filters" className={css.filters}>
    {children}
  </div>
);
