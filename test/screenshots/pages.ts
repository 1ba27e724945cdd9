import type { Page } from 'playwright-core';
import { choose } from '../support/portal-visit.ts';
import type { Seeded } from './seed.ts';

/** A page of the pictures. */
export interface Shot {
  /** The name of its files. */
  readonly name: string;
  readonly path: (seeded: Seeded) => string;
  /** A heading or text that the complete page shows. */
  readonly shows: string;
  /** An action before the picture, such as opening a dialog. */
  readonly then?: (page: Page) => Promise<void>;
  /** The page is shown to a visitor without a session. */
  readonly isOutside?: true;
}

const account =
  (page: string) =>
  ({ accountId }: Seeded) =>
    `/accounts/${accountId}/${page}`;
const project = (page: string) => (seeded: Seeded) => account(`projects/${seeded.projectId}/${page}`)(seeded);
const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click();

/** Every page of the portal. A new page adds its line. */
export const SHOTS: readonly Shot[] = [
  { name: 'landing', path: () => '/', shows: 'The gateway that counts exactly', isOutside: true },
  { name: 'sign-in', path: () => '/profile', shows: 'You come back to this page.', isOutside: true },
  { name: 'welcome', path: () => '/welcome', shows: 'Name of the account' },
  { name: 'home', path: ({ accountId }) => `/accounts/${accountId}`, shows: 'Keys that need you' },
  {
    name: 'palette',
    path: ({ accountId }) => `/accounts/${accountId}`,
    shows: 'Keys that need you',
    then: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('listbox', { name: 'Places' }).waitFor();
    },
  },
  { name: 'keys', path: project('keys'), shows: 'Latest requests' },
  { name: 'key', path: (seeded) => project(`keys/${seeded.rotatedKeyId}`)(seeded), shows: 'Rotation: two keys work' },
  {
    name: 'rotate',
    path: project('keys'),
    shows: 'Latest requests',
    then: (page) => choose(page, /^Actions of Production server/, 'Rotate'),
  },
  { name: 'usage', path: project('usage'), shows: 'Requests by outcome' },
  {
    name: 'request',
    path: project('usage'),
    shows: 'Requests by outcome',
    then: async (page) => {
      await page.getByRole('table', { name: 'Requests', exact: true }).getByRole('link').first().click();
      await page.getByText('What it means').waitFor();
    },
  },
  { name: 'project-settings', path: project('settings'), shows: 'Close project' },
  { name: 'team', path: account('team'), shows: 'noor@example.com' },
  { name: 'audit', path: account('audit'), shows: 'Account created' },
  { name: 'settings', path: account('settings'), shows: 'Account id' },
  { name: 'settings-notices', path: account('settings/notices'), shows: 'Both secrets work' },
  {
    name: 'webhook-deliveries',
    path: account('settings/notices'),
    shows: 'Both secrets work',
    then: async (page) => {
      await choose(page, /^Actions of http:/, 'Deliveries and test');
      await page.getByText('Arrived').waitFor();
    },
  },
  {
    name: 'webhook-new',
    path: account('settings/notices'),
    shows: 'Both secrets work',
    then: press('Add endpoint'),
  },
  { name: 'settings-end', path: account('settings/end'), shows: 'Close account' },
  { name: 'profile', path: () => '/profile', shows: 'Delete your profile' },
  { name: 'docs-quick-start', path: () => '/docs', shows: 'Python' },
  { name: 'docs-errors', path: () => '/docs/errors#RATE_LIMIT_EXCEEDED', shows: 'RATE_LIMIT_EXCEEDED' },
  { name: 'docs-limits', path: () => '/docs/limits', shows: 'Limits of this portal' },
  { name: 'docs-idempotency', path: () => '/docs/idempotency', shows: 'Retries' },
  { name: 'docs-webhooks', path: () => '/docs/webhooks', shows: 'What each member means' },
  { name: 'docs-automation', path: () => '/docs/automation', shows: 'Routes and scopes' },
  { name: 'docs-reference', path: () => '/docs/reference#sendPing', shows: 'Refusals and failures' },
  { name: 'not-found', path: () => '/nowhere', shows: 'There is nothing here' },
  // This page is last, because each picture of it makes a key.
  {
    name: 'new-key',
    path: project('keys'),
    shows: 'Latest requests',
    then: async (page) => {
      await press('Create key')(page);
      await page.getByLabel('Name of the key').fill('Staging server');
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
      await press('Send a test ping')(page);
      await page.getByText(/^200, /).waitFor();
    },
  },
];
