import { useRef, useState, type ReactNode } from 'react';
import { Ellipsis, type LucideIcon } from 'lucide-react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { IconButton } from './button.tsx';
import type { MenuGroup } from './menu-list.tsx';
import { useLater } from './use-later.ts';

const fetchList = () => import('./menu-list.tsx');

interface MenuButtonProps {
  readonly label: string;
  readonly groups: readonly MenuGroup[];
  /** The content of the button. Default: the three dots of a row. */
  readonly children?: ReactNode;
  readonly icon?: LucideIcon;
  readonly className?: string | undefined;
}

/**
 * A button that opens a menu. The code of the menu is fetched when the button is pointed at or focused, since most
 * visits open none.
 */
export function MenuButton({ label, groups, children, icon = Ellipsis, className }: MenuButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [MenuList, load] = useLater(fetchList);
  const props = {
    ref: button,
    'aria-haspopup': 'menu' as const,
    'aria-expanded': isOpen,
    'aria-label': label,
    onHoverStart: load,
    onFocus: load,
    onPress: () => setOpen(!isOpen),
    onKeyDown: ({ key }: { readonly key: string }) => key === 'ArrowDown' && setOpen(true),
  };
  return (
    <>
      {children === undefined ? (
        <IconButton {...props} icon={icon} />
      ) : (
        <AriaButton {...props} className={className ?? ''}>
          {children}
        </AriaButton>
      )}
      {isOpen && MenuList && <MenuList label={label} button={button} groups={groups} onClose={() => setOpen(false)} />}
    </>
  );
}
