import { useState } from 'react';
import { UserPlus } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { membersQuery } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Note } from '../components/note.tsx';
import { Page } from '../components/page.tsx';
import { useIsKept } from '../components/use-kept.ts';
import { pages } from '../routes.ts';
import { useSession, type AccountPage } from '../session.ts';
import { InviteForm } from '../team/invite-form.tsx';
import { MemberList } from '../team/member-list.tsx';

/** The people of an account. */
export default function TeamPage({ account }: AccountPage) {
  const { accountId, role } = account;
  const query = useQuery(membersQuery(accountId));
  const [isInviting, setInviting] = useState(useIsKept()('invite'));
  const { hasMail } = useSession();
  const address = hasMail ? location.origin + pages.invitation(accountId) : location.origin;
  const action = role === 'owner' && (
    <Button kind="primary" icon={UserPlus} onPress={() => setInviting(true)}>
      Invite
    </Button>
  );
  const about =
    'Viewers change nothing. Members work with projects and keys. Owners also manage the team, and close projects and the account.';
  return (
    <Page title="Team" about={about} action={action}>
      <Loaded query={query} what="the members">
        {(members) => (
          <>
            <MemberList account={account} members={members} />
            {members.length === 1 && role === 'owner' && (
              <p>You are alone here. Invite a colleague, and give the account a second owner, so that you can leave.</p>
            )}
            {members.some(({ status }) => status === 'invited') && (
              <Note action={<CopyButton text={address} what={hasMail ? 'the link' : 'the address'} />}>
                {hasMail
                  ? 'Invited people get an e-mail. If the list says that none was sent, send them this link: '
                  : 'The portal sends no e-mail. Send them this address: '}
                <code>{address}</code>. They see the invitation once they have signed in with the invited address.
              </Note>
            )}
          </>
        )}
      </Loaded>
      {isInviting && (
        <Dialog title="Invite to the team" onClose={() => setInviting(false)}>
          <InviteForm accountId={accountId} onClose={() => setInviting(false)} />
        </Dialog>
      )}
    </Page>
  );
}
