import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import {
  Activity,
  BookOpen,
  ChartColumn,
  CircleUser,
  House,
  KeyRound,
  ScrollText,
  Search,
  Settings,
  Users,
} from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { foundRequestQuery } from '../api/usage-queries.ts';
import type { FoundRequest } from '../api/schemas.ts';
import { projectsQuery, type Account, type Session } from '../api/queries.ts';
import { PlainDialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { outcomeOf } from '../requests/outcomes.ts';
import { pages } from '../routes.ts';
import { entriesOf, found, requestIdIn, type Entry } from './entries.ts';
import css from './palette.module.css';

const ICONS: Readonly<Record<Entry['kind'], typeof Search>> = {
  home: House,
  keys: KeyRound,
  usage: ChartColumn,
  settings: Settings,
  team: Users,
  audit: ScrollText,
  person: CircleUser,
  docs: BookOpen,
  request: Activity,
};

interface PaletteProps {
  readonly session: Session | undefined;
  readonly account: Account | undefined;
  readonly onClose: () => void;
}

/** Opens a page by a part of its name, or a request by its id. The arrow keys choose, Enter opens, Esc closes. */
export default function Palette({ session, account, onClose }: PaletteProps) {
  const { data: projects = [] } = useQuery({
    ...projectsQuery(account?.accountId ?? ''),
    enabled: account !== undefined,
  });
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const [, navigate] = useLocation();
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const requestId = session && requestIdIn(typed);
  const request = useQuery({ ...foundRequestQuery(requestId ?? ''), enabled: requestId !== undefined });
  const entries =
    requestId === undefined
      ? found(entriesOf(account, projects, session?.accounts ?? []), typed)
      : request.data
        ? [requestEntry(request.data)]
        : [];
  // Projects that arrive meanwhile would move the chosen entry.
  const at = Math.min(chosen, entries.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at, typed]);
  const go = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    navigate(entry.address);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen((at + step + entries.length) % Math.max(1, entries.length));
    else if (event.key === 'Enter') go(entries[at]);
    else return;
    event.preventDefault();
  };
  return (
    <PlainDialog label="Search or go to" onClose={onClose}>
      <div className={css.field}>
        <Icon of={Search} />
        <input
          className={css.input}
          role="combobox"
          aria-label="Page, project, error code or request id"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={entries.length > 0 ? `${id}-${at}` : undefined}
          autoComplete="off"
          spellCheck={false}
          autoFocus
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd className={css.key}>Esc</kbd>
      </div>
      <ul ref={list} id={`${id}-list`} role="listbox" aria-label="Places" className={css.list}>
        {entries.map((entry, index) => (
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
            <span>{entry.name}</span>
            <bdi className={css.within}>{entry.within}</bdi>
          </li>
        ))}
      </ul>
      <footer className={css.foot}>
        <span role="status">
          {entries.length === 0 &&
            (requestId === undefined
              ? 'Nothing is called so.'
              : (request.error?.message ?? 'Looking in your projects …'))}
        </span>
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

const requestEntry = ({ accountId, projectId, event }: FoundRequest): Entry => ({
  kind: 'request',
  address: pages.request(accountId, projectId, event),
  name: `Request ${event.requestId}`,
  within: outcomeOf(event).words,
});
