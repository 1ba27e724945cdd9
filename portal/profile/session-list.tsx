import { useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { sessionsQuery, type OwnSession } from '../api/people-queries.ts';
import { PortalError } from '../api/problem.ts';
import { useAction } from '../api/use-action.ts';
import { useToast } from '../components/announcer.tsx';
import { Button } from '../components/button.tsx';
import { Card, Muted, Row } from '../components/card.tsx';
import { Failure } from '../components/form.tsx';
import { List } from '../components/list.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { useSignOut } from '../components/sign-out.tsx';
import { Time } from '../components/time.tsx';
import { counted } from '../text/format.ts';
import css from './session-list.module.css';

/** The sessions of the signed-in person. Each other one can be ended, or all at once. */
export function SessionList({ sessions }: { readonly sessions: readonly OwnSession[] }) {
  const client = useQueryClient();
  const tell = useToast();
  const card = useRef<HTMLDivElement>(null);
  const [ending, setEnding] = useState<readonly string[]>([]);
  const { run, isPending, error } = useAction(endSessions, async (_none, ids) => {
    await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    tell(`${counted(ids.length, 'session')} ended.`);
    // The button that had the focus has been removed.
    card.current?.focus();
  });
  const end = (ids: readonly string[]): void => {
    setEnding(ids);
    run(ids);
  };
  const others = sessions.filter(({ current }) => !current).map(({ sessionId }) => sessionId);
  return (
    <div ref={card} tabIndex={-1} className={css.sessions}>
      <Card title="Sessions" isFlush>
        <List
          label="Sessions"
          items={sessions}
          idOf={({ sessionId }) => sessionId}
          columns={[
            {
              heading: 'Browser',
              narrow: 'lead',
              cell: ({ browser, current }) => (
                <>
                  <bdi>{browser}</bdi> {current && <Muted>(this one)</Muted>}
                </>
              ),
            },
            { heading: 'Signed in', narrow: 'second', cell: ({ createdAt }) => <Time of={createdAt} as="minute" /> },
            {
              heading: 'Last seen',
              narrow: 'end',
              // It is stored every ten minutes at most. This session is active now.
              cell: ({ lastSeen, current }) => (current ? 'now' : <Time of={lastSeen} as="ago" />),
            },
            { heading: 'Ends', cell: ({ expiresAt }) => <Time of={expiresAt} as="minute" /> },
            {
              heading: 'Actions',
              isActions: true,
              cell: ({ sessionId, browser, current }) =>
                !current && (
                  <Button
                    kind="quiet"
                    aria-label={`End the session of ${browser}`}
                    isPending={isPending && ending.includes(sessionId)}
                    onPress={() => end([sessionId])}
                  >
                    End
                  </Button>
                ),
            },
          ]}
        />
        <div className={css.foot}>
          <p>
            A session ends two hours after its last request, or when the list says. The sign-in page may remember you:
            on a shared computer, sign out there too.
          </p>
          <Failure error={error} />
          <Row>
            {others.length > 0 && (
              <Button isPending={isPending && ending.length === others.length} onPress={() => end(others)}>
                End all others
              </Button>
            )}
            <SignOutEverywhere />
          </Row>
        </div>
      </Card>
    </div>
  );
}

/** Ends sessions one after another. A session that has ended already is no failure. */
async function endSessions(ids: readonly string[]): Promise<void> {
  for (const sessionId of ids) {
    try {
      await answer(api.DELETE('/api/sessions/{sessionId}', { params: { path: { sessionId } } }));
    } catch (error) {
      if (!(error instanceof PortalError && error.code === 'NOT_FOUND')) throw error;
    }
  }
}

/** Ends the sessions in every browser, after a question. */
function SignOutEverywhere() {
  const action = useSignOut();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button onPress={() => setAsking(true)}>Sign out everywhere</Button>
      {isAsking && (
        <ConfirmDialog
          title="Sign out everywhere?"
          action={action}
          onConfirm={() => action.run(true)}
          onClose={() => setAsking(false)}
          word="Sign out everywhere"
        >
          <p>All your sessions end, this one too. Keys and tokens still work.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
