import { useState } from 'react';
import { UserPlus } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { membersQuery } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { useIsKept } from '../components/use-kept.ts';
import type { AccountPage } from '../session.ts';
import { InviteForm } from '../team/invite-form.tsx';
import { MemberList } from '../team/member-list.tsx';

/** The people of an account. */
export default function TeamPage({ account }: AccountPage) {
  const { accountId, role } = account;
  const query = useQuery(membersQuery(accountId));
  const [isInviting, setInviting] = useState(useIsKept()('invite'));
  const action = role === 'owner' && (
    <Button kind="primary" icon={UserPlus} onPress={() => setInviting(true)}>
      Invite
    </Button>
  );
  return (
    <Page title="Team" about="Viewers look, members work with keys, owners manage." action={action}>
      <Loaded query={query} what="the members">
        {(members) => (
          <>
            <MemberList account={account} members={members} />
            {members.length === 1 && role === 'owner' && (
              <p>You are alone here. Invite a colleague, and give the account a second owner, so that you can leave.</p>
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
