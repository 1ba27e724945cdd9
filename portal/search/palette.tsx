import { useDeferredValue, useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import {
  Activity,
  BookOpen,
  ChartColumn,
  CircleUser,
  House,
  KeyRound,
  LifeBuoy,
  Code,
  ScrollText,
  Search,
  Settings,
  Users,
} from 'lucide-react';
import { useLocation } from 'wouter';
import type { Account, Session } from '../api/queries.ts';
import { PlainDialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { excerptOf, type Entry } from './entries.ts';
import css from './palette.module.css';
import { useFound } from './use-found.ts';

const ICONS: Readonly<Record<Entry['kind'], typeof Search>> = {
  home: House,
  keys: KeyRound,
  usage: ChartColumn,
  settings: Settings,
  team: Users,
  audit: ScrollText,
  developers: Code,
  person: CircleUser,
  docs: BookOpen,
  contact: LifeBuoy,
  request: Activity,
};

interface PaletteProps {
  readonly session: Session | undefined;
  readonly account: Account | undefined;
  readonly onClose: () => void;
}

/**
 * Opens a page by a part of its name, or a request by its id, its Idempotency-Key or a client's own id. The last two
 * are searched when they are pasted, or at Enter. The arrow keys choose, Enter opens, Esc closes.
 */
export default function Palette({ session, account, onClose }: PaletteProps) {
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const [, navigate] = useLocation();
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  // The field is drawn first, so that typing at once reaches it.
  const isListDrawn = useDeferredValue(true, false);
  const { entries, status, ask } = useFound(session, account, typed);
  // Projects that arrive meanwhile would move the chosen entry.
  const at = Math.min(chosen, entries.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at, typed]);
  const go = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    if (entry.run) entry.run();
    // A mail program opens separately, so `mailto:` needs no new tab.
    else if (entry.kind === 'contact')
      open(entry.address, entry.address.startsWith('https:') ? '_blank' : '_self', 'noreferrer');
    else navigate(entry.address);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen((at + step + entries.length) % Math.max(1, entries.length));
    else if (event.key !== 'Enter') return;
    else if (entries.length > 0) go(entries[at]);
    else ask(typed);
    event.preventDefault();
  };
  return (
    <PlainDialog label="Search or go to" onClose={onClose}>
      <div className={css.field}>
        <Icon of={Search} />
        <input
          className={css.input}
          role="combobox"
          aria-label="Page, action, word of the documentation, request id or Idempotency-Key"
          placeholder="Page, word, request id or Idempotency-Key"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={isListDrawn && entries.length > 0 ? `${id}-${at}` : undefined}
          autoComplete="off"
          spellCheck={false}
          autoFocus
          value={typed}
          onChange={({ target, nativeEvent }) => {
            setTyped(target.value);
            setChosen(0);
            // Typing key by key sends no request.
            if ((nativeEvent as InputEvent).inputType === 'insertFromPaste') ask(target.value);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd className={css.key}>Esc</kbd>
      </div>
      <div className={css.found}>
        <p role="status" className={entries.length > 0 ? css.note : css.status}>
          {status}
        </p>
        <ul ref={list} id={`${id}-list`} role="listbox" aria-label="Places" className={css.list}>
          {(isListDrawn ? entries : []).map((entry, index) => (
            <li
              key={entry.address}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              className={css.entry}
              onClick={() => go(entry)}
              onPointerMove={() => setChosen(index)}
            >
              <Icon of={ICONS[entry.kind]} />
              <span className={css.name}>
                {entry.name}
                {entry.text && <span className={css.text}>{excerptOf(entry, typed)}</span>}
              </span>
              <bdi className={css.within}>{entry.within}</bdi>
            </li>
          ))}
        </ul>
      </div>
      <footer className={css.foot}>
        <span>
          <kbd className={css.key}>Up</kbd> <kbd className={css.key}>Down</kbd> choose
        </span>
        <span>
          <kbd className={css.key}>Enter</kbd> open
        </span>
      </footer>
    </PlainDialog>
  );
}
