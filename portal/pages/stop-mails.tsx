import { useEffect, useState } from 'react';
import { useSearch } from 'wouter';
import { answer, api } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Card, Row } from '../components/card.tsx';
import { Failure } from '../components/form.tsx';
import { Note } from '../components/note.tsx';
import { Outside } from '../components/outside.tsx';

/** Stops mails, for the holder of one, with a session or without. It asks first, since scanners open links. */
export default function StopMailsPage() {
  const token = new URLSearchParams(useSearch()).get('token') ?? '';
  const isAboutInvitations = token.includes('.invitations.');
  const [isStopped, setStopped] = useState<boolean>();
  const params = { query: { token } };
  const stop = useAction(
    () => answer(api.POST('/api/mails/stop', { params })),
    () => setStopped(true),
  );
  const resume = useAction(
    () => answer(api.POST('/api/mails/resume', { params })),
    () => setStopped(false),
  );
  const what = isAboutInvitations ? 'invitations' : 'mails about this account';
  useEffect(() => {
    document.title = 'Stop mails · Developer portal';
  }, []);
  const error = stop.error ?? resume.error;
  if (token === '' || error?.code === 'NOT_FOUND') return <UnknownLink />;
  return (
    <Outside>
      <Card>
        <h1>Stop mails</h1>
        <Failure error={error} />
        {isStopped === undefined && <p>This address then gets no more {what}.</p>}
        {isStopped === true && <Note isAlert>Done. This address gets no more {what}.</Note>}
        {isStopped === false && <Note isAlert>This address gets {what} again.</Note>}
        {isAboutInvitations && (
          <p>You can still be invited: an invitation is there when you sign in with the address.</p>
        )}
        <Row>
          {isStopped === true ? (
            <Button isPending={resume.isPending} onPress={() => resume.run(undefined)}>
              Have them again
            </Button>
          ) : (
            <Button kind="primary" isPending={stop.isPending} onPress={() => stop.run(undefined)}>
              Stop these mails
            </Button>
          )}
        </Row>
      </Card>
    </Outside>
  );
}

/** A link that was cut or is invalid: there is no button. */
const UnknownLink = () => (
  <Outside>
    <Card>
      <h1>Stop mails</h1>
      <Note kind="bad" isAlert>
        This link is not complete. Open it from the mail again.
      </Note>
    </Card>
  </Outside>
);
