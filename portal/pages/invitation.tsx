import { useQuery } from '@tanstack/react-query';
import { Link, Redirect } from 'wouter';
import { invitationQuery } from '../api/people-queries.ts';
import { Button } from '../components/button.tsx';
import { Row } from '../components/card.tsx';
import { Failure } from '../components/form.tsx';
import { InvitationNote, NotVerified } from '../components/invitation.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Note } from '../components/note.tsx';
import { Page } from '../components/page.tsx';
import { useSignOut } from '../components/sign-out.tsx';
import { isGone } from '../projects/project-frame.tsx';
import { pages } from '../routes.ts';
import { useSession } from '../session.ts';
import { ownName } from '../text/names.ts';

/** The target of the link in an invitation's mail: that invitation, however many others there are. */
export default function InvitationPage({ accountId }: { readonly accountId: string }) {
  const { accounts } = useSession();
  const query = useQuery(invitationQuery(accountId));
  if (accounts.some((account) => account.accountId === accountId)) {
    return <Redirect to={pages.account(accountId)} replace />;
  }
  if (isGone(query)) return <NoInvitation />;
  return (
    <Page title="You are invited">
      <Loaded query={query} what="the invitation">
        {(invitation) => (
          <InvitationNote
            invitation={invitation}
            isMain
            onGone={() => void query.refetch()}
            onDeclined={() => void query.refetch()}
          />
        )}
      </Loaded>
    </Page>
  );
}

function NoInvitation() {
  const { user } = useSession();
  const { run, isPending, error } = useSignOut();
  return (
    <Page title="There is no invitation here">
      <Note kind="warn">
        You are signed in as <bdi>{ownName(user)}</bdi>, and this invitation is not, or no longer, for that address. It
        was withdrawn, answered or has expired, or it was sent to another address of yours.
      </Note>
      <NotVerified />
      <p>
        To use another address, sign out, then open the link again. Or go to{' '}
        <Link href={pages.home}>your projects</Link>.
      </p>
      <Failure error={error} />
      <Row>
        <Button isPending={isPending} onPress={() => run(false)}>
          Sign out
        </Button>
      </Row>
    </Page>
  );
}
