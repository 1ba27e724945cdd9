import { useState } from 'react';
import { Check } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type Project, membersQuery } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Card, Muted, Row, Unseen } from '../components/card.tsx';
import { Icon } from '../components/icon.tsx';
import { pages } from '../routes.ts';
import type { AccountPage } from '../session.ts';
import css from './first-steps.module.css';
import { noteHidden, remembered, noteSamples } from './remembered.ts';

interface FirstStepsProps extends AccountPage {
  readonly projects: readonly Project[];
}

interface Step {
  readonly words: string;
  readonly isDone: boolean;
  readonly href?: string;
  readonly onPress?: () => void;
}

/** The first steps, also after the first key. Before the last one they are a line, and after it, or on request, gone. */
export function FirstSteps({ account, projects }: FirstStepsProps) {
  const { accountId, role } = account;
  const [isHidden, setHidden] = useState(() => remembered(accountId).isHidden);
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
  if (isHidden || isOnlyUnsure || done === steps.length) return null;
  const next = steps.findIndex(({ isDone }) => !isDone);
  const count = (
    <Muted>
      {done} of {steps.length} done
    </Muted>
  );
  const hide = (
    <Button
      kind="quiet"
      onPress={() => {
        noteHidden(accountId);
        setHidden(true);
      }}
    >
      Hide
    </Button>
  );
  const { words: left, href = '', onPress } = steps[next] ?? {};
  if (done === steps.length - 1) {
    return (
      <Row>
        <span>
          First steps: {count}. Next:{' '}
          <Link href={href} onClick={onPress}>
            {left}
          </Link>
        </span>
        {hide}
      </Row>
    );
  }
  return (
    <Card
      title="First steps"
      action={
        <>
          {count}
          {hide}
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
