import type { FunctionComponent } from 'react';
import { pages } from '../routes.ts';
import { Automation } from './automation.tsx';
import { Errors } from './errors.tsx';
import { Idempotency } from './idempotency.tsx';
import { Limits } from './limits.tsx';
import { QuickStart } from './quick-start.tsx';
import { Reference } from './reference.tsx';

/** The pages of the documentation, by their addresses. They are served as Markdown, too. */
export const DOCS_PAGES: readonly (readonly [address: string, page: FunctionComponent])[] = [
  [pages.docs, QuickStart],
  [pages.idempotency, Idempotency],
  [pages.limits, Limits],
  [pages.errors, Errors],
  [pages.automation, Automation],
  [pages.reference, Reference],
];
