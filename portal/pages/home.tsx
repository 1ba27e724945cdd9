import { lazy, Suspense, useEffect, useState } from 'react';
import { Folder, Plus } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { attentionQuery, projectPageQuery } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Empty } from '../components/empty.tsx';
import { Loaded, Waiting } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { Steps } from '../components/steps.tsx';
import { useIsKept } from '../components/use-kept.ts';
import { useLater } from '../components/use-later.ts';
import { NewProjectForm } from '../projects/new-project-form.tsx';
import type { AccountPage } from '../session.ts';
import { mayChange } from '../text/roles.ts';
import { periodSentence } from '../text/quota.ts';

const fetchDialog = () => import('../projects/new-project-dialog.tsx');
/** What needs a project. A first visit does not load it. */
const Overview = lazy(() => import('../home/overview.tsx'));

/** The home of an account; of a new one, the way to its first project. */
export function HomePage({ account }: AccountPage) {
  const { accountId } = account;
  const query = useQuery(projectPageQuery(accountId));
  const isKept = useIsKept();
  const [isNaming, setNaming] = useState(() => isKept('new project'));
  const [NewProjectDialog, load] = useLater(fetchDialog);
  useEffect(() => {
    if (isNaming) load();
  }, [isNaming, load]);
  const [first] = query.data?.projects ?? [];
  const attention = useQuery({ ...attentionQuery(accountId), enabled: first !== undefined });
  const action = first && mayChange(account) && (
    <Button kind="primary" icon={Plus} onHoverStart={load} onFocus={load} onPress={() => setNaming(true)}>
      New project
    </Button>
  );
  return (
    <Page title="Home" about={first && periodSentence(first.period)} action={action}>
      <Loaded query={query} what="the projects">
        {(page) =>
          page.projects.length === 0 ? (
            mayChange(account) ? (
              <>
                <Steps at={2} />
                <Card title="Name a first project">
                  <p>A project holds keys, which share its quota. Make one for each application.</p>
                  <NewProjectForm accountId={accountId} offered="My first project" />
                </Card>
              </>
            ) : (
              <Card>
                <Empty icon={Folder} title="No project yet.">
                  You see projects here when a member has made one. Viewers make none.
                </Empty>
              </Card>
            )
          ) : (
            <Suspense fallback={<Waiting what="the projects" />}>
              <Overview account={account} first={page} attention={attention} />
            </Suspense>
          )
        }
      </Loaded>
      {isNaming && NewProjectDialog && <NewProjectDialog accountId={accountId} onClose={() => setNaming(false)} />}
    </Page>
  );
}
