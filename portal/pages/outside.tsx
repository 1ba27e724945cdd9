import { Link } from 'wouter';
import type { Account, Session } from '../api/queries.ts';
import { InvitationNote } from '../components/invitation.tsx';
import { Note } from '../components/note.tsx';
import { Page } from '../components/page.tsx';
import { pages } from '../routes.ts';
import { NotFoundPage } from './not-found.tsx';

interface OutsidePageProps {
  readonly session: Session;
  readonly accountId: string;
  /** The account, if the person was a member a moment ago. */
  readonly wasIn: Account | undefined;
}

/** For a person at the address of an account of which they are not a member: invited, removed, or never a member. */
export function OutsidePage({ session: { invitations }, accountId, wasIn }: OutsidePageProps) {
  const invitation = invitations.find((candidate) => candidate.accountId === accountId);
  if (invitation) {
    return (
      <Page title="You are invited">
        <InvitationNote invitation={invitation} />
      </Page>
    );
  }
  if (!wasIn) return <NotFoundPage />;
  return (
    <Page title="You are no longer in this account">
      <Note kind="bad" isAlert>
        An owner has removed you from{' '}
        <b>
          <bdi>{wasIn.name}</bdi>
        </b>
        , or it is closed. What you were doing there and had not saved was not done.
      </Note>
      <p>
        An owner can invite you again. Go to <Link href={pages.home}>your projects</Link>.
      </p>
    </Page>
  );
}
