import type { ReactNode } from 'react';
import { Page } from '../components/page.tsx';
import css from './docs.module.css';

interface DocsFrameProps {
  readonly title: string;
  readonly about: ReactNode;
  readonly children: ReactNode;
}

/** A page of the documentation. */
export const DocsFrame = ({ title, about, children }: DocsFrameProps) => (
  <Page title={title} about={about}>
    <div className={css.text}>{children}</div>
  </Page>
);
