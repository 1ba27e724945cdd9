import { Fragment, type ReactNode, type RefObject } from 'react';
import { Check, type LucideIcon } from 'lucide-react';
import { Header, Menu, MenuItem, MenuSection, Popover, Separator } from 'react-aria-components/Menu';
import { Icon } from './icon.tsx';
import { useAfterPress } from './use-after-press.ts';
import css from './menu.module.css';

/** One entry of a menu. */
export interface MenuEntry {
  readonly id: string;
  readonly words: string;
  readonly icon?: LucideIcon;
  /** Before the words, in place of an icon. */
  readonly before?: ReactNode;
  /** At the end. */
  readonly after?: ReactNode;
  readonly isDanger?: boolean;
  readonly onAction: () => void;
}

/** Entries that belong together, with a line to the next ones. */
export interface MenuGroup {
  readonly title?: string;
  readonly entries: readonly MenuEntry[];
  /** The id of the chosen entry. The entries are side by side. */
  readonly chosen?: string;
}

interface MenuListProps {
  readonly label: string;
  readonly button: RefObject<HTMLButtonElement | null>;
  readonly groups: readonly MenuGroup[];
  readonly onClose: () => void;
}

/** The menu of a button. The arrow keys choose, Enter activates, Esc closes, and the focus returns to the button. */
export default function MenuList({ label, button, groups, onClose }: MenuListProps) {
  // A dialog that an entry opens returns the focus to the button, since the entry does not exist any more.
  const choose = ({ onAction }: MenuEntry): void => {
    onClose();
    setTimeout(() => {
      button.current?.focus();
      onAction();
    });
  };
  const isDrawn = useAfterPress(onClose);
  return (
    <Popover
      isOpen={isDrawn}
      aria-label={label}
      triggerRef={button}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      placement="bottom end"
      offset={4}
      className={css.popover ?? ''}
    >
      <Menu aria-label={label} autoFocus="first" onClose={onClose} className={css.menu ?? ''}>
        {groups.map((group, index) => (
          <Fragment key={group.entries[0]?.id ?? index}>
            {index > 0 && <Separator className={css.line ?? ''} />}
            <Group of={group} onChosen={choose} />
          </Fragment>
        ))}
      </Menu>
    </Popover>
  );
}

interface GroupProps {
  readonly of: MenuGroup;
  readonly onChosen: (entry: MenuEntry) => void;
}

const Group = ({ of: { title, entries, chosen }, onChosen }: GroupProps) => (
  <MenuSection
    {...(title === undefined && { 'aria-label': entries.map(({ words }) => words).join(', ') })}
    {...(chosen !== undefined && { selectionMode: 'single' as const, selectedKeys: [chosen] })}
    {...(chosen !== undefined && { disallowEmptySelection: true })}
  >
    {title !== undefined && <Header className={css.title ?? ''}>{title}</Header>}
    {entries.map((entry) => (
      <Entry key={entry.id} of={entry} isChosen={chosen === entry.id} onChosen={() => onChosen(entry)} />
    ))}
  </MenuSection>
);

interface EntryProps {
  readonly of: MenuEntry;
  readonly isChosen: boolean;
  readonly onChosen: () => void;
}

const Entry = ({ of: entry, isChosen, onChosen }: EntryProps) => (
  <MenuItem
    id={entry.id}
    textValue={entry.words}
    onAction={onChosen}
    className={[css.entry, entry.isDanger && css.danger].filter(Boolean).join(' ')}
  >
    {entry.before}
    {entry.icon && <Icon of={entry.icon} />}
    <span className={css.words}>
      <bdi>{entry.words}</bdi>
    </span>
    {entry.after}
    {isChosen && <Icon of={Check} />}
  </MenuItem>
);
