import { useState } from 'react';
import type { Account, Member } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Muted } from '../components/card.tsx';
import { List } from '../components/list.tsx';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { useSession } from '../session.ts';
import { RemoveDialog } from './remove-dialog.tsx';
import { RoleDialog } from './role-dialog.tsx';
import { whoIs } from './words.ts';

interface MemberListProps {
  readonly account: Account;
  readonly members: readonly Member[];
}

/** The people of an account; owners can change roles and remove, everyone can leave, but for the last owner. */
export function MemberList({ account, members }: MemberListProps) {
  const { user } = useSession();
  const [asked, setAsked] = useState<{ readonly about: 'role' | 'removal'; readonly member: Member }>();
  const owners = members.filter(({ role, status }) => role === 'owner' && status === 'active');
  const isSelf = ({ email, status }: Member): boolean =>
    status === 'active' && email !== null && email.toLowerCase() === user.email?.toLowerCase();
  const actions = (member: Member) => {
    if (owners.length === 1 && owners[0] === member) {
      return account.role === 'owner' && <Muted>the only owner: make another one to leave</Muted>;
    }
    const isMayManage = account.role === 'owner';
    return (
      <>
        {isMayManage && member.status === 'active' && (
          <Button
            kind="quiet"
            aria-label={`Change the role of ${whoIs(member)}`}
            onPress={() => setAsked({ about: 'role', member })}
          >
            Change role
          </Button>
        )}
        {(isMayManage || isSelf(member)) && (
          <Button
            kind="quiet"
            aria-label={`${removalWord(member, isSelf(member))} ${whoIs(member)}`}
            onPress={() => setAsked({ about: 'removal', member })}
          >
            {removalWord(member, isSelf(member))}
          </Button>
        )}
      </>
    );
  };
  const close = (): void => setAsked(undefined);
  return (
    <>
      <List
        label="Members"
        items={members}
        idOf={({ memberId }) => memberId}
        columns={[
          {
            heading: 'Person',
            cell: (member) => (
              <div>
                <bdi>{whoIs(member)}</bdi> {isSelf(member) && <Muted>(you)</Muted>}
                {member.name !== null && member.email !== null && (
                  <div>
                    <Muted>
                      <bdi>{member.email}</bdi>
                    </Muted>
                  </div>
                )}
              </div>
            ),
          },
          { heading: 'Role', cell: ({ role }) => (role === 'owner' ? 'Owner' : 'Member') },
          {
            heading: 'State',
            cell: ({ status }) =>
              status === 'active' ? <State kind="good">active</State> : <State kind="none">invited</State>,
          },
          { heading: 'Since', cell: ({ createdAt }) => <Time of={createdAt} as="day" /> },
          { heading: 'Actions', isActions: true, cell: actions },
        ]}
      />
      {asked?.about === 'role' && <RoleDialog accountId={account.accountId} member={asked.member} onClose={close} />}
      {asked?.about === 'removal' && (
        <RemoveDialog
          accountId={account.accountId}
          member={asked.member}
          isSelf={isSelf(asked.member)}
          onClose={close}
        />
      )}
    </>
  );
}

const removalWord = ({ status }: Member, isSelf: boolean): string =>
  isSelf ? 'Leave' : status === 'invited' ? 'Withdraw' : 'Remove';
