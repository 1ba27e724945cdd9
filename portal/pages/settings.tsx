import { useState, type ReactNode } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { answer, api } from '../api/client.ts';
import { ownerMailsQuery } from '../api/people-queries.ts';
import { projectsQuery, refreshSession, type Account } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { useToast } from '../components/announcer.tsx';
import { Button } from '../components/button.tsx';
import { Card, Facts, Row } from '../components/card.tsx';
import { Id } from '../components/id.tsx';
import { CloseDialog } from '../components/close-dialog.tsx';
import { Waiting } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { RenameForm } from '../components/rename-form.tsx';
import { noteLeft } from '../left.ts';
import { endpointsQuery } from '../notices/endpoint-queries.ts';
import { Endpoints } from '../notices/endpoints.tsx';
import { MailSettings } from '../notices/mail-settings.tsx';
import { pages } from '../routes.ts';
import { useSession, type AccountPage } from '../session.ts';
import { LeaveAccount } from '../team/leave-account.tsx';
import { counted } from '../text/format.ts';

const PATH = '/api/accounts/{accountId}';

/** What an account is called, the way out of it, and its end. */
export default function SettingsPage({ account }: AccountPage) {
  const { accountId, name, role } = account;
  const { stage } = useSession();
  const client = useQueryClient();
  const params = { path: { accountId } };
  return (
    <Page title="Settings">
      <Card title="Account">
        {role === 'owner' ? (
          <RenameForm
            name={name}
            send={(body) => answer(api.PATCH(PATH, { body, params }))}
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
      <WhenRead account={account}>
        <MailSettings account={account} />
        {role === 'owner' && <Endpoints account={account} />}
        <Card title="Leave the account">
          <LeaveAccount account={account} />
        </Card>
        {role === 'owner' && (
          <Card title="Close the account">
            <CloseAccount account={account} />
          </Card>
        )}
      </WhenRead>
    </Page>
  );
}

/** Shows what is below when the height of its parts is known, so that nothing moves. A part that failed says so. */
function WhenRead({ account: { accountId, role }, children }: AccountPage & { readonly children: ReactNode }) {
  const { hasMail } = useSession();
  const mails = useQuery({ ...ownerMailsQuery(accountId), enabled: hasMail });
  const endpoints = useQuery({ ...endpointsQuery(accountId), enabled: role === 'owner' });
  if (mails.isLoading || endpoints.isLoading) return <Waiting what="the settings" />;
  return children;
}

function CloseAccount({ account: { accountId, memberId, name } }: { readonly account: Account }) {
  const client = useQueryClient();
  const tell = useToast();
  const [isAsking, setAsking] = useState(false);
  const { data: projects } = useQuery(projectsQuery(accountId));
  const action = useAction<undefined, unknown>(
    () => answer(api.DELETE(PATH, { params: { path: { accountId } } })),
    async () => {
      noteLeft(memberId);
      await refreshSession(client);
      tell(`${name} is closed. Its keys are refused.`);
    },
  );
  return (
    <>
      <p>
        All its projects are closed too. Their keys are refused from their next request on, and its members no longer
        see it. The platform team keeps its usage and the audit. You cannot undo this.
      </p>
      <Row>
        <Button kind="danger" onPress={() => setAsking(true)}>
          Close account
        </Button>
      </Row>
      {isAsking && (
        <CloseDialog what="account" name={name} action={action} onCancel={() => setAsking(false)}>
          <p>
            {projects === undefined || projects.length === 0
              ? 'It has no project.'
              : `${counted(projects.length, 'project')} with ${counted(
                  projects.reduce((sum, { activeKeys }) => sum + activeKeys, 0),
                  'active key',
                )} will be closed with it.`}
          </p>
        </CloseDialog>
      )}
    </>
  );
}
