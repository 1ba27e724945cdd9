import { useState } from 'react';
import type { Project } from '../api/queries.ts';
import { AskForMore } from '../components/ask-for-more.tsx';
import { ButtonLink } from '../components/button.tsx';
import { isNearlyUsedUp } from '../components/meter.tsx';
import { Note } from '../components/note.tsx';
import { useNow } from '../components/use-now.ts';
import { pages } from '../routes.ts';
import type { AccountPage } from '../session.ts';
import { mayChange } from '../text/roles.ts';
import { isUsedUp, paceOf, percentUsed, periodEnd } from '../text/quota.ts';
import { FirstSteps } from './first-steps.tsx';
import { noteHidden, remembered } from './remembered.ts';

/** The number of quotas with a note at the top. The cards show the others. */
const MOST_NOTES = 3;

interface HomeNotesProps extends AccountPage {
  readonly projects: readonly Project[];
}

/** The notes at the top: quotas that are nearly used up, and for beginners the next steps. */
export default function HomeNotes({ account, projects }: HomeNotesProps) {
  const { accountId } = account;
  const nowMs = useNow();
  const [isHidden, setHidden] = useState(() => remembered(accountId).isHidden);
  const near = projects
    .filter((project) => project.status === 'active' && isNearlyUsedUp(project))
    .toSorted((one, other) => shareOf(other) - shareOf(one));
  return (
    <>
      {near.slice(0, MOST_NOTES).map((project) => (
        <Note
          key={project.projectId}
          kind={isUsedUp(project) ? 'bad' : 'warn'}
          action={
            <ButtonLink href={pages.usage(accountId, project.projectId)} kind="quiet">
              See usage
            </ButtonLink>
          }
        >
          <b>
            <bdi>{project.name}</bdi> has used {percentUsed(project)} of its quota.
          </b>{' '}
          {isUsedUp(project)
            ? `Requests are refused until ${periodEnd(project.period)}.`
            : paceSentence(project, nowMs)}{' '}
          <AskForMore />
        </Note>
      ))}
      {!isHidden && mayChange(account) && (
        <FirstSteps
          account={account}
          projects={projects}
          onHide={() => {
            noteHidden(accountId);
            setHidden(true);
          }}
        />
      )}
    </>
  );
}

const shareOf = ({ quotaUsed, quotaLimit }: Project): number => (quotaLimit ? Math.min(1, quotaUsed / quotaLimit) : 1);

/** `At this pace: used up on 24 Nov.` */
function paceSentence(project: Project, nowMs: number): string {
  const pace = paceOf(project, nowMs);
  return pace === '' ? '' : `At this pace: ${pace.charAt(0).toLowerCase()}${pace.slice(1)}.`;
}
