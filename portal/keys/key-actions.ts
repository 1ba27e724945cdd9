import { Ban, Clock, Gauge, Pause, Pencil, Play, Plus, RefreshCw, type LucideIcon } from 'lucide-react';
import type { Key } from '../api/schemas.ts';
import type { MenuEntry } from '../components/menu-list.tsx';
import type { AskedKey } from './key-dialogs.tsx';
import { mayShare } from './cap.ts';
import { isActive } from './key-view.ts';

/** An action on a key: the dialog that it opens. */
export interface KeyAction {
  readonly about: AskedKey['about'];
  /** In a menu; on a button without the dots. */
  readonly words: string;
  readonly icon: LucideIcon;
  readonly isDanger?: boolean;
}

const RENAME: KeyAction = { about: 'rename', words: 'Rename', icon: Pencil };
const CAP: KeyAction = { about: 'cap', words: 'Cap its units …', icon: Gauge };
const SHARE: KeyAction = { about: 'share', words: 'New key under this budget …', icon: Plus };
const EXPIRY: KeyAction = { about: 'expiry', words: 'Change its expiry …', icon: Clock };
const ROTATE: KeyAction = { about: 'rotate', words: 'Rotate …', icon: RefreshCw };
const PAUSE: KeyAction = { about: 'pause', words: 'Pause …', icon: Pause };
const RESUME: KeyAction = { about: 'pause', words: 'Resume …', icon: Play };
const REVOKE: KeyAction = { about: 'revoke', words: 'Revoke …', icon: Ban, isDanger: true };

/** The actions on a key that change it, and those that stop it, for who may change keys. */
export function actionsOn(key: Key, nowMs: number): { readonly change: KeyAction[]; readonly stop: KeyAction[] } {
  if (!isActive(key, nowMs)) return { change: [RENAME], stop: [] };
  const change = [RENAME, CAP];
  if (mayShare(key)) change.push(SHARE);
  // The grace of a replaced key has its own end.
  if (key.replacedBy === null) change.push(EXPIRY);
  if (key.replacedBy === null && !key.paused) change.push(ROTATE);
  return { change, stop: [key.paused ? RESUME : PAUSE, REVOKE] };
}

/** Whether an action is a button of the key's page: to replace it, and to stop it for a while. */
export const isButton = ({ about }: KeyAction): boolean => about === 'rotate' || about === 'pause';

/** Actions as the entries of a menu. */
export const entriesOf = (actions: readonly KeyAction[], onAsk: (about: KeyAction['about']) => void): MenuEntry[] =>
  actions.map(({ about, words, icon, isDanger = false }) => ({
    id: about,
    words,
    icon,
    isDanger,
    onAction: () => onAsk(about),
  }));
