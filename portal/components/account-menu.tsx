import { ChevronsUpDown, Mail, Plus } from 'lucide-react';
import { useLocation } from 'wouter';
import type { Account, Session } from '../api/queries.ts';
import { pages } from '../routes.ts';
import { Mark, Tile } from './brand.tsx';
import { Icon } from './icon.tsx';
import { MenuButton } from './menu.tsx';
import css from './account-menu.module.css';

interface AccountMenuProps {
  readonly session: Session;
  readonly account: Account | undefined;
}

/** The present account, and a menu of the others. */
export function AccountMenu({ session: { accounts, invitations, invitationsCursor }, account }: AccountMenuProps) {
  const [, navigate] = useLocation();
  if (accounts.length === 0) {
    return (
      <span className={css.brand}>
        <Mark />
        <span className={css.name}>Developer portal</span>
      </span>
    );
  }
  const invited = `${invitations.length}${invitationsCursor === null ? '' : '+'}`;
  const others = [
    ...(invitations.length > 0
      ? [{ id: 'invitations', words: 'Invitations', icon: Mail, after: <b>{invited}</b> }]
      : []),
    { id: 'new', words: 'New account', icon: Plus },
  ].map((entry) => ({ ...entry, onAction: () => navigate(pages.welcome) }));
  return (
    <MenuButton
      label={`Account: ${account?.name ?? 'none'}`}
      className={css.account}
      groups={[
        {
          title: 'Accounts',
          ...(account && { chosen: account.accountId }),
          entries: accounts.map(({ accountId, name }) => ({
            id: accountId,
            words: name,
            before: <Tile of={name} />,
            onAction: () => navigate(pages.account(accountId)),
          })),
        },
        { entries: others },
      ]}
    >
      {account ? <Tile of={account.name} /> : <Mark />}
      <span className={css.name}>{account ? <bdi>{account.name}</bdi> : 'Accounts'}</span>
      {invitations.length > 0 && <span className={css.count}>{invited}</span>}
      <Icon of={ChevronsUpDown} />
    </MenuButton>
  );
}
