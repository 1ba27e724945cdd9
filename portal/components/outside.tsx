import type { ReactNode } from 'react';
import css from './outside.module.css';

/** A page without navigation: before somebody is signed in. */
export const Outside = ({ children }: { readonly children: ReactNode }) => (
  <main className={css.outside}>
    <div className={css.column}>{children}</div>
  </main>
);
