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
 * Opens the search of pages by name, as Ctrl or ⌘ with K does. A single letter would be in the way of speech input
 * (WCAG 2.1.4).
 */
export function SearchButton({ session, account }: SearchButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const [Palette, load] = useLater(fetchPalette);
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      // An open dialog keeps its content: perhaps a key that is shown once.
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || document.querySelector('[role$=dialog]')) return;
      event.preventDefault();
      load();
      setOpen(true);
    };
    // Before the focused element, which may keep keys to itself: a menu's button does.
    document.addEventListener('keydown', open, { capture: true });
    return () => document.removeEventListener('keydown', open, { capture: true });
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
