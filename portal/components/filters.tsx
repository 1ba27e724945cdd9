import type { ReactNode } from 'react';
import css from './filters.module.css';

/** Fields that say which rows of a list are shown, below its chips. */
export const Filters = ({ children }: { readonly children: ReactNode }) => (
  <div className={css.open}>
    <div role="group" aria-label="Filters" className={css.filters}>
      {children}
    </div>
  </div>
);
