import { useState } from 'react';
import type { Account, Member } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Muted } from '../components/card.tsx';
import { List } from '../components/list.tsx';
import { Time } from '../components/time.tsx';
import { LastOwnerDialog } from './last-owner-dialog.tsx';
import { MemberState } from './member-state.tsx';
import { inOrder, isOnlyOwner, whoIs } from './members.ts';
import { RemoveDialog } from './remove-dialog.tsx';
import { RoleDialog } from './role-dialog.tsx';

interface MemberListProps {
  readonly account: Account;
  readonly members: readonly Member[];
}

/** The people of an account; owners can change roles and remove, everyone can leave, but for the last owner. */
export function MemberList({ account, members }: MemberListProps) {
  const { accountId } = account;
  const [asked, setAsked] = useState<{ readonly about: 'role' | 'removal'; readonly member: Member }>();
  const isSelf = ({ memberId }: Member): boolean => memberId === account.memberId;
  const isManager = account.role === 'owner';
  const close = (): void => setAsked(undefined);
  const actions = (member: Member) => (
    <>
      {isManager && member.status === 'active' && (
        <Button
          kind="quiet"
          aria-label={`Change the role of ${whoIs(member)}`}
          onPress={() => setAsked({ about: 'role', member })}
        >
          Change role
        </Button>
      )}
      {(isManager || isSelf(member)) && (
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
  return (
    <>
      <List
        label="Members"
        items={inOrder(members)}
        idOf={({ memberId }) => memberId}
        columns={[
          { heading: 'Person', cell: (member) => <Person of={member} isSelf={isSelf(member)} /> },
          { heading: 'Role', cell: ({ role }) => (role === 'owner' ? 'Owner' : 'Member') },
          { heading: 'State', cell: (member) => <MemberState of={member} /> },
          { heading: 'Since', cell: ({ createdAt }) => <Time of={createdAt} as="day" /> },
          { heading: 'Actions', isActions: true, cell: actions },
        ]}
      />
      {asked && isOnlyOwner(members, asked.member.memberId) ? (
        <LastOwnerDialog account={account} onClose={close} />
      ) : asked?.about === 'role' ? (
        <RoleDialog accountId={accountId} member={asked.member} isSelf={isSelf(asked.member)} onClose={close} />
      ) : (
        asked && (
          <RemoveDialog accountId={accountId} member={asked.member} isSelf={isSelf(asked.member)} onClose={close} />
        )
      )}
    </>
  );
}

const Person = ({ of: member, isSelf }: { readonly of: Member; readonly isSelf: boolean }) => (
  <div>
    <bdi>{whoIs(member)}</bdi> {isSelf && <Muted>(you)</Muted>}
    {member.name !== null && member.email !== null && (
      <div>
        <Muted>
          <bdi>{member.email}</bdi>
        </Muted>
      </div>
    )}
  </div>
);

const removalWord = ({ status }: Member, isSelf: boolean): string =>
  isSelf ? 'Leave' : status === 'invited' ? 'Withdraw' : 'Remove';
