import { Activity, type ReactNode } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Redirect } from 'wouter';
import { answer, api } from '../api/client.ts';
import { ownerMailsQuery, thresholdsQuery } from '../api/people-queries.ts';
import { membersQuery, refreshSession } from '../api/queries.ts';
import { Card, Facts, Row } from '../components/card.tsx';
import { Id } from '../components/id.tsx';
import { Waiting } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { RenameForm } from '../components/rename-form.tsx';
import { Tabs } from '../components/tabs.tsx';
import { MailSettings } from '../notices/mail-settings.tsx';
import { ThresholdSettings } from '../notices/threshold-settings.tsx';
import { pages } from '../routes.ts';
import { useSession, type AccountPage } from '../session.ts';
import { CloseAccount, LeaveAccount } from '../team/leave-or-close.tsx';
import { NotFoundPage } from './not-found.tsx';

interface SettingsPageProps extends AccountPage {
  /** The last part of the address; undefined: the first tab. */
  readonly tab: string | undefined;
}

/** Where the tabs that were here are: mails have links to them. */
const MOVED: ReadonlyMap<string, (accountId: string) => string> = new Map([
  ['notices', pages.mails],
  ['tokens', pages.tokens],
  ['end', pages.settings],
]);

/** The settings of an account: its name and its end, and what its owners are told when. */
export default function SettingsPage({ account, tab = '' }: SettingsPageProps) {
  const { accountId } = account;
  const moved = MOVED.get(tab);
  if (moved) return <Redirect to={moved(accountId)} replace />;
  const isMails = tab === 'mails';
  if (!isMails && tab !== '') return <NotFoundPage />;
  const words = isMails ? 'E-mails and thresholds' : 'Account';
  return (
    <Page title="Settings" tabTitle={`${words} · Settings`}>
      <Tabs
        label="Settings"
        tabs={[
          ['Account', pages.settings(accountId)],
          ['E-mails and thresholds', pages.mails(accountId)],
        ]}
        current={words}
      />
      {/* This tab stays mounted, so that typed text is not lost when the reader returns to it. */}
      <Activity mode={isMails ? 'hidden' : 'visible'}>
        <AccountDetails account={account} />
        <Ends account={account} />
      </Activity>
      {isMails && (
        <WhenRead account={account}>
          <MailSettings account={account} />
          <ThresholdSettings account={account} />
        </WhenRead>
      )}
    </Page>
  );
}

function AccountDetails({ account: { accountId, name, role } }: AccountPage) {
  const { stage } = useSession();
  const client = useQueryClient();
  const params = { path: { accountId } };
  return (
    <Card title="Account">
      {role === 'owner' ? (
        <RenameForm
          name={name}
          send={(body) => answer(api.PATCH('/api/accounts/{accountId}', { body, params }))}
          onDone={() => refreshSession(client)}
        />
      ) : (
        <p>Only an owner can rename or close this account. You find the owners on the page Team.</p>
      )}
      <Facts
        facts={[
          ['Account id', <Id key="id" of={accountId} what="account" />],
          ['Your role', role],
          ['Stage', stage],
        ]}
      />
      <Row>
        <Link href={pages.welcome}>Create another account</Link>
        <Link href={pages.profile}>Your profile and sessions</Link>
      </Row>
    </Card>
  );
}

/** To leave the account, and to close it: shown once the members are read, so that nothing moves. */
function Ends({ account }: AccountPage) {
  const { isPending } = useQuery({ ...membersQuery(account.accountId), refetchInterval: false });
  if (isPending) return null;
  return (
    <>
      <Card title="Leave the account">
        <LeaveAccount account={account} />
      </Card>
      {account.role === 'owner' && (
        <Card title="Close the account">
          <CloseAccount account={account} />
        </Card>
      )}
    </>
  );
}

/** Shows the parts below when their heights are known, so that nothing moves. A failed part shows its failure. */
function WhenRead({ account: { accountId }, children }: AccountPage & { readonly children: ReactNode }) {
  const { hasMail } = useSession();
  const mails = useQuery({ ...ownerMailsQuery(accountId), enabled: hasMail });
  const thresholds = useQuery(thresholdsQuery(accountId));
  if (mails.isLoading || thresholds.isLoading) return <Waiting what="the settings" />;
  return children;
}
