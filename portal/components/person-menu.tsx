import { ChevronsUpDown, CircleUser, LogOut, Menu } from 'lucide-react';
import { useLocation } from 'wouter';
import type { Account, Session } from '../api/queries.ts';
import { pages } from '../routes.ts';
import { ownName } from '../text/names.ts';
import { ROLE_NAMES } from '../text/roles.ts';
import { useColours } from '../theme/use-colours.ts';
import { Avatar } from './brand.tsx';
import { Icon } from './icon.tsx';
import { MenuButton } from './menu.tsx';
import { usePlaces, type Place } from './places.ts';
import { useSignOut } from './sign-out.tsx';
import { useToast } from './announcer.tsx';
import css from './account-menu.module.css';
import { useSyncExternalStore } from 'react';

interface PersonMenuProps {
  readonly user: Session['user'];
  readonly account: Account | undefined;
}

/**
 * The menu of the signed-in person: profile, colours and sign-out; on a phone also the entries that have no room in the
 * bar.
 */
export function PersonMenu({ user, account }: PersonMenuProps) {
  const [, navigate] = useLocation();
  const tell = useToast();
  const colours = useColours();
  const isNarrow = useIsNarrow();
  const { run } = useSignOut(({ message }) => tell(message, true));
  const name = ownName(user);
  const { places, docs } = usePlaces(account);
  const profile: Place = { words: 'Profile and sessions', icon: CircleUser, to: pages.profile };
  const hidden = isNarrow ? [...places, docs].filter(({ only }) => only === 'wide') : [];
  return (
    <MenuButton
      label={`You: ${name}`}
      className={css.person}
      groups={[
        {
          title: name,
          entries: [...hidden, profile].map(({ words, icon, to }) => ({
            ...{ id: to, words, icon },
            onAction: () => navigate(to),
          })),
        },
        colours,
        { entries: [{ id: 'out', words: 'Sign out', icon: LogOut, onAction: () => run(false) }] },
      ]}
    >
      <Avatar of={name} />
      <span className={css.name}>
        <bdi>{name}</bdi>
        {account && <span className={css.role}>{ROLE_NAMES[account.role]}</span>}
      </span>
      <span className={css.more}>
        <Icon of={Menu} />
        More
      </span>
      <Icon of={ChevronsUpDown} />
    </MenuButton>
  );
}

/** The same width as in the style sheets. */
const query = matchMedia('(width < 720px)');

const listen = (onChange: () => void): (() => void) => {
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
};

/** Whether the page has bars at the top and at the bottom. */
const useIsNarrow = (): boolean => useSyncExternalStore(listen, () => query.matches);
