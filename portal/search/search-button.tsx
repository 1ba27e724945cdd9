import { useEffect, useState } from 'react';
import { Search } from 'lucide-react';
import type { Account, Session } from '../api/queries.ts';
import { Icon } from '../components/icon.tsx';
import { useLater } from '../components/use-later.ts';
import css from './search-button.module.css';

const fetchPalette = () => import('./palette.tsx');

const KEYS = navigator.userAgent.includes('Mac') ? 'Cmd K' : 'Ctrl K';

interface SearchButtonProps {
  readonly session: Session | undefined;
  readonly account: Account | undefined;
}

/**
 * Opens the way to every page by its name; so does Ctrl or ⌘ with K. A letter alone would be in the way of who speaks to
 * the machine (WCAG 2.1.4).
 */
export function SearchButton({ session, account }: SearchButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const [Palette, load] = useLater(fetchPalette);
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      // A dialog that is open keeps what it is about: perhaps a key that is shown this once.
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || document.querySelector('[role$=dialog]')) return;
      event.preventDefault();
      load();
      setOpen(true);
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  }, [load]);
  return (
    <>
      <button
        type="button"
        className={css.button}
        aria-label="Search or go to"
        aria-keyshortcuts="Control+K Meta+K"
        onPointerEnter={load}
        onClick={() => {
          load();
          setOpen(true);
        }}
      >
        <Icon of={Search} />
        <span className={css.words}>Search or go to</span>
        <kbd className={css.keys}>{KEYS}</kbd>
      </button>
      {isOpen && Palette && <Palette session={session} account={account} onClose={() => setOpen(false)} />}
    </>
  );
}
