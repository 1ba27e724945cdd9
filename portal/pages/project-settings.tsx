import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { answer, api } from '../api/client.ts';
import { projectPageQuery, refreshAccounts, type Project } from '../api/queries.ts';
import { useAction, useRemoval } from '../api/use-action.ts';
import { useToast } from '../components/announcer.tsx';
import { Button } from '../components/button.tsx';
import { Card, Facts, Row } from '../components/card.tsx';
import { Id } from '../components/id.tsx';
import { CloseDialog } from '../components/close-dialog.tsx';
import { RenameForm } from '../components/rename-form.tsx';
import { Time } from '../components/time.tsx';
import { ProjectFrame } from '../projects/project-frame.tsx';
import { pages } from '../routes.ts';
import type { ProjectPage } from '../session.ts';
import { isolated } from '../text/names.ts';
import { mayChange } from '../text/roles.ts';
import { counted } from '../text/format.ts';
import { boundsOf, resetDay } from '../text/quota.ts';

const PATH = '/api/accounts/{accountId}/projects/{projectId}';

/** The name of a project, and its closing. */
export default function ProjectSettingsPage({ account, projectId }: ProjectPage) {
  const { accountId, role } = account;
  const client = useQueryClient();
  const params = { path: { accountId, projectId } };
  return (
    <ProjectFrame account={account} projectId={projectId} tab="Settings">
      {(project) => (
        <>
          <Card title="Project">
            {mayChange(account) ? (
              <RenameForm
                name={project.name}
                send={(body) => answer(api.PATCH(PATH, { body, params }))}
                onDone={() => refreshAccounts(client)}
              />
            ) : (
              <p>You are a viewer of this account. Members and owners can rename the project.</p>
            )}
            <Facts
              facts={[
                ['Project id', <Id key="id" of={projectId} what="project" />],
                ['Created', <Time key="created" of={project.createdAt} as="day" />],
                [
                  'Quota',
                  project.quotaLimit === null
                    ? 'no limit'
                    : `${counted(project.quotaLimit, 'unit')} a ${boundsOf(project.period).isDay ? 'day' : 'month'}, resets ${resetDay(project.period)}`,
                ],
              ]}
            />
          </Card>
          <Card title="Close the project">
            {role === 'owner' ? (
              <CloseProject accountId={accountId} project={project} />
            ) : (
              <p>Only an owner of the account can close a project. The owners are on the page Team.</p>
            )}
          </Card>
        </>
      )}
    </ProjectFrame>
  );
}

function CloseProject({ accountId, project }: { readonly accountId: string; readonly project: Project }) {
  const { projectId, name, activeKeys } = project;
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const tell = useToast();
  const [isAsking, setAsking] = useState(false);
  const action = useAction<undefined, unknown>(
    useRemoval(() => answer(api.DELETE(PATH, { params: { path: { accountId, projectId } } }))),
    () => {
      // The list in memory still contains it, and its keys would be read.
      client.setQueryData(
        projectPageQuery(accountId).queryKey,
        (known) => known && { ...known, projects: known.projects.filter((one) => one.projectId !== projectId) },
      );
      navigate(pages.account(accountId));
      // This page is still shown, but its project cannot be read any more. The next page reads its own data.
      void refreshAccounts(client, 'none');
      tell(`${isolated(name)} is closed. Its keys are refused.`);
    },
  );
  return (
    <>
      <p>
        Its keys are refused from their next request on. It is no longer in the portal. The platform team keeps its
        usage and the audit. You cannot undo this.
      </p>
      <Row>
        <Button kind="danger" onPress={() => setAsking(true)}>
          Close project
        </Button>
      </Row>
      {isAsking && (
        <CloseDialog what="project" name={name} action={action} onCancel={() => setAsking(false)}>
          <p>
            {activeKeys === 0 ? (
              'It has no active key.'
            ) : (
              <>
                {counted(activeKeys, 'active key')} will be refused from the next request on, with{' '}
                <code>PROJECT_SUSPENDED</code>.
              </>
            )}
          </p>
        </CloseDialog>
      )}
    </>
  );
}
