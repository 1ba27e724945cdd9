import type { ReactNode } from 'react';
import { Page } from '../components/page.tsx';
import { Tabs } from '../components/tabs.tsx';
import { pages } from '../routes.ts';
import css from './docs.module.css';

const TABS = [
  ['Quick start', pages.docs],
  ['Errors', pages.errors],
  ['Limits', pages.limits],
  ['Idempotency', pages.idempotency],
  ['API reference', pages.reference],
] as const;

interface DocsFrameProps {
  readonly tab: (typeof TABS)[number][0];
  readonly about: ReactNode;
  readonly children: ReactNode;
}

/** A page of the documentation, between its sisters. */
export const DocsFrame = ({ tab, about, children }: DocsFrameProps) => (
  <Page title={tab} crumb="Documentation" about={about}>
    <Tabs label="Documentation" tabs={TABS} current={tab} />
    <div className={css.text}>{children}</div>
  </Page>
);
