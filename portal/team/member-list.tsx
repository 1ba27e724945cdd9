import { useState } from 'react';
import { Copy, LogOut, UserCog, UserMinus } from 'lucide-react';
import type { Account, Member } from '../api/queries.ts';
import { useToast } from '../components/announcer.tsx';
import { Avatar } from '../components/brand.tsx';
import { Below, Card, Muted } from '../components/card.tsx';
import { copied } from '../components/copied.ts';
import { List } from '../components/list.tsx';
import type { MenuEntry } from '../components/menu-list.tsx';
import { MenuButton } from '../components/menu.tsx';
import { Time } from '../components/time.tsx';
import { pages } from '../routes.ts';
import { useSession } from '../session.ts';
import { LastOwnerDialog, RemoveDialog, RoleDialog } from './member-dialogs.tsx';
import { ROLE_NAMES } from '../text/roles.ts';
import css from './member-list.module.css';
import { inOrder, INVITATION_DAYS, isOnlyOwner, whoIs, invitationEnd } from './members.ts';
import { State } from '../components/state.tsx';
import { useNow } from '../components/use-now.ts';

interface MemberListProps {
  readonly account: Account;
  readonly members: readonly Member[];
}

/** The people of an account. Owners can change roles and remove people. Everyone can leave, except the last owner. */
export function MemberList({ account, members }: MemberListProps) {
  const { accountId } = account;
  const [asked, setAsked] = useState<{ readonly about: 'role' | 'removal'; readonly member: Member }>();
  const isSelf = ({ memberId }: Member): boolean => memberId === account.memberId;
  const isManager = account.role === 'owner';
  const close = (): void => setAsked(undefined);
  const { hasMail } = useSession();
  const tell = useToast();
  // With mail, the link to send by hand is that of the mail. Without mail, the portal's address is enough.
  const link = hasMail ? location.origin + pages.invitation(accountId) : location.origin;
  const copyLink = (): void => void copied(link, `the link ${link}`, tell);
  const entriesOf = (member: Member): MenuEntry[] => [
    ...(member.status === 'invited' ? [{ id: 'link', words: 'Copy the link', icon: Copy, onAction: copyLink }] : []),
    ...(isManager && member.status === 'active'
      ? [{ id: 'role', words: 'Change role …', icon: UserCog, onAction: () => setAsked({ about: 'role', member }) }]
      : []),
    ...(isManager || isSelf(member)
      ? [
          {
            id: 'removal',
            words: `${removalWord(member, isSelf(member))} …`,
            icon: isSelf(member) ? LogOut : UserMinus,
            isDanger: true,
            onAction: () => setAsked({ about: 'removal', member }),
          },
        ]
      : []),
  ];
  const menu = (member: Member) => {
    const entries = entriesOf(member);
    return entries.length > 0 && <MenuButton label={`Actions of ${whoIs(member)}`} groups={[{ entries }]} />;
  };
  const stateOf = (member: Member) => (
    <div className={css.state}>
      <MemberState of={member} />
    </div>
  );
  const list = (label: string, items: readonly Member[]) => (
    <List
      label={label}
      items={items}
      idOf={({ memberId }) => memberId}
      isAligned
      columns={[
        { heading: 'Person', narrow: 'lead', cell: (member) => <Person of={member} isSelf={isSelf(member)} /> },
        { heading: 'State', narrow: 'second', cell: stateOf },
        { heading: 'Since', isShort: true, cell: ({ createdAt }) => <Time of={createdAt} as="day" /> },
        { heading: 'Role', narrow: 'secondEnd', cell: ({ role }) => ROLE_NAMES[role] },
        { heading: 'Actions', isActions: true, cell: menu },
      ]}
    />
  );
  const ordered = inOrder(members);
  const invited = ordered.filter(({ status }) => status === 'invited');
  return (
    <>
      <Card isFlush>
        {list(
          'Members',
          ordered.filter(({ status }) => status === 'active'),
        )}
      </Card>
      {invited.length > 0 && (
        <Card
          title="Invitations"
          action={
            <Muted>
              {hasMail ? '' : 'The portal sends no e-mail: copy the link. '}An invitation waits for {INVITATION_DAYS}{' '}
              days.
            </Muted>
          }
          isFlush
        >
          {list('Invitations', invited)}
        </Card>
      )}
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
  <div className={css.person}>
    <Avatar of={whoIs(member)} isWaiting={member.status === 'invited'} />
    <div className={css.names}>
      <bdi className={css.name}>{whoIs(member)}</bdi> {isSelf && <Muted>(you)</Muted>}
      {member.name !== null && member.email !== null && (
        <Below>
          <bdi>{member.email}</bdi>
        </Below>
      )}
    </div>
  </div>
);

const removalWord = ({ status }: Member, isSelf: boolean): string =>
  isSelf ? 'Leave' : status === 'invited' ? 'Withdraw' : 'Remove';

/** The state of a person: member, invited until when, or an expired invitation. */
function MemberState({ of: member }: { readonly of: Member }) {
  const nowMs = useNow();
  if (member.status === 'active') {
    return (
      <>
        <State kind="good">Active</State>
        <MailState of={member} />
      </>
    );
  }
  const end = invitationEnd(member);
  if (Date.parse(end) <= nowMs) {
    return (
      <>
        <State kind="over">Not answered</State>
        <Below>Invite again, or withdraw.</Below>
      </>
    );
  }
  return (
    <>
      <State kind="wait">Invited</State>{' '}
      <Muted>
        until <Time of={end} as="day" />
      </Muted>
      <MailState of={member} />
    </>
  );
}

/** Why a person got no mail. A delivered mail is not mentioned. */
const WORDS: Readonly<Record<string, string>> = {
  held: 'No e-mail: too many invitations of this team came back. For a week, send the link yourself.',
  limited: 'No e-mail: too many were sent today. Send the link yourself.',
  bounced: 'No e-mail: their address takes none.',
  stopped: 'No e-mail: they want none.',
  refused: 'No e-mail: it was not taken.',
};

function MailState({ of: { mail, status } }: { readonly of: Member }) {
  if (mail === 'sent') return status === 'invited' && <Muted> · e-mail sent</Muted>;
  const words = WORDS[mail ?? ''];
  return words !== undefined && <Below>{words}</Below>;
}
