import { useMemo } from 'react';
import { useKnownKeys } from '../keys/use-known-keys.ts';
import { ProjectFrame } from '../projects/project-frame.tsx';
import { RequestsCard } from '../requests/requests-card.tsx';
import type { ProjectPage } from '../session.ts';

/** The requests of a project. */
export default function RequestsPage({ account, projectId }: ProjectPage) {
  const { accountId } = account;
  const ids = useMemo(() => ({ accountId, projectId }), [accountId, projectId]);
  const { keys } = useKnownKeys(accountId, projectId);
  return (
    <ProjectFrame account={account} projectId={projectId} tab="Requests">
      {(project) => <RequestsCard ids={ids} project={project} keys={keys} />}
    </ProjectFrame>
  );
}
