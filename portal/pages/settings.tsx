import { useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { answer, api } from '../api/client.ts';
import { projectsQuery, refreshSession, type Account } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Card, Facts, Row } from '../components/card.tsx';
import { Id } from '../components/id.tsx';
import { CloseDialog } from '../components/close-dialog.tsx';
import { Page } from '../components/page.tsx';
import { RenameForm } from '../components/rename-form.tsx';
import { SignOutButton } from '../components/sign-out.tsx';
import { pages } from '../routes.ts';
import { useSession, type AccountPage } from '../session.ts';
import { counted } from '../text/format.ts';

const PATH = '/api/accounts/{accountId}';

/** What an account is called, its end, and who is signed in. */
export default function SettingsPage({ account }: AccountPage) {
  const { accountId, name, role } = account;
  const { user, stage } = useSession();
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
          <p>Only an owner can rename or close this account. The owners are on the page Team.</p>
        )}
        <Facts
          facts={[
            ['Account id', <Id key="id" of={accountId} what="account" />],
            ['Stage', stage],
          ]}
        />
        <Link href={pages.welcome}>Create another account</Link>
      </Card>
      <Card title="You">
        <Facts
          facts={[
            ['Signed in as', <bdi key="email">{user.email ?? user.name ?? user.userId}</bdi>],
            ['Role in this account', role],
          ]}
        />
        <Row>
          <SignOutButton isEverywhere />
        </Row>
      </Card>
      {role === 'owner' && (
        <Card title="Close the account">
          <CloseAccount account={account} />
        </Card>
      )}
    </Page>
  );
}

function CloseAccount({ account: { accountId, name } }: { readonly account: Account }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [isAsking, setAsking] = useState(false);
  const { data: projects } = useQuery(projectsQuery(accountId));
  const action = useAction<undefined, unknown>(
    () => answer(api.DELETE(PATH, { params: { path: { accountId } } })),
    async () => {
      await refreshSession(client);
      navigate(pages.home);
    },
  );
  return (
    <>
      <p>
        Closes all its projects too: their keys are refused from their next request on, and its members see it no more.
        This cannot be undone.
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
