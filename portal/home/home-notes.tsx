import { useState } from 'react';
import { type Project, membersQuery } from '../api/queries.ts';
import { WithSupport } from '../components/support.tsx';
import { ButtonLink, Button } from '../components/button.tsx';
import { isNearlyUsedUp } from '../components/meter.tsx';
import { Note } from '../components/note.tsx';
import { useNow } from '../components/use-now.ts';
import { pages } from '../routes.ts';
import type { AccountPage } from '../session.ts';
import { mayChange } from '../text/roles.ts';
import { isUsedUp, paceOf, percentUsed, periodEnd } from '../text/quota.ts';
import { noteHidden, remembered, noteSamples } from './remembered.ts';
import { Check } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Card, Muted, Unseen } from '../components/card.tsx';
import { Icon } from '../components/icon.tsx';
import css from './first-steps.module.css';

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
          <WithSupport text="Ask the platform team for more." />
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

interface FirstStepsProps extends AccountPage {
  readonly projects: readonly Project[];
  readonly onHide: () => void;
}

interface Step {
  readonly words: string;
  readonly isDone: boolean;
  readonly href?: string;
  readonly onPress?: () => void;
}

/** The first steps, also after the first key. The list disappears after the last step. */
function FirstSteps({ account, projects, onHide }: FirstStepsProps) {
  const { accountId, role } = account;
  const [hasSamples, setSamples] = useState(() => remembered(accountId).hasSamples);
  const members = useQuery({ ...membersQuery(accountId), refetchInterval: false });
  const hasKey = projects.some(({ activeKeys, lastRequest }) => activeKeys > 0 || lastRequest !== null);
  const hasRequest = projects.some(({ lastRequest }) => lastRequest !== null);
  const keys = projects[0] ? pages.keys(accountId, projects[0].projectId) : pages.account(accountId);
  const steps: readonly Step[] = [
    { words: 'Name your account', isDone: true },
    { words: 'Name a project', isDone: true },
    { words: 'Create a key', isDone: hasKey, href: keys },
    { words: 'Send a first request', isDone: hasRequest, href: pages.docs },
    {
      words: 'Call it from your program',
      isDone: hasSamples,
      href: `${pages.docs}#typescript`,
      onPress: () => {
        noteSamples(accountId);
        setSamples(true);
      },
    },
    // Owners invite.
    ...(role === 'owner'
      ? [{ words: 'Invite a colleague', isDone: (members.data?.length ?? 0) > 1, href: pages.team(accountId) }]
      : []),
  ];
  const done = steps.filter(({ isDone }) => isDone).length;
  const isOnlyUnsure = members.isPending && done === steps.length - 1;
  // If only the invitation is unknown, nothing is shown until the team is read. Otherwise the list is shown at once,
  // and nothing moves.
  if (isOnlyUnsure || done === steps.length) return null;
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <Card
      title="First steps"
      action={
        <>
          <Muted>
            {done} of {steps.length} done
          </Muted>
          <Button kind="quiet" onPress={onHide}>
            Hide
          </Button>
        </>
      }
    >
      <ol className={css.steps}>
        {steps.map(({ words, isDone, href, onPress }, index) => (
          <li
            key={words}
            className={isDone ? css.done : index === next ? css.next : undefined}
            aria-current={index === next ? 'step' : undefined}
          >
            <span className={css.mark}>{isDone && <Icon of={Check} size="small" />}</span>
            {isDone || href === undefined ? (
              <span>
                {words}
                {isDone && <Unseen>, done</Unseen>}
              </span>
            ) : (
              <Link href={href} onClick={onPress}>
                {words}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}
