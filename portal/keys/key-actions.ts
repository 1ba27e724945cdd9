import { Ban, Clock, Gauge, Pause, Pencil, Play, RefreshCw, type LucideIcon } from 'lucide-react';
import type { Key } from '../api/schemas.ts';
import type { AskedKey } from './key-dialogs.tsx';
import { isActive } from './key-view.ts';

/** An action on a key: the dialog that it opens. */
export interface KeyAction {
  readonly about: AskedKey['about'];
  /** On a button. */
  readonly word: string;
  /** In a menu. */
  readonly words: string;
  readonly icon: LucideIcon;
  readonly isDanger?: boolean;
}

const RENAME: KeyAction = { about: 'rename', word: 'Rename', words: 'Rename', icon: Pencil };
const CAP: KeyAction = { about: 'cap', word: 'Cap', words: 'Cap its units …', icon: Gauge };
const EXPIRY: KeyAction = { about: 'expiry', word: 'Expiry', words: 'Change its expiry …', icon: Clock };
const ROTATE: KeyAction = { about: 'rotate', word: 'Rotate', words: 'Rotate …', icon: RefreshCw };
const PAUSE: KeyAction = { about: 'pause', word: 'Pause', words: 'Pause …', icon: Pause };
const RESUME: KeyAction = { about: 'pause', word: 'Resume', words: 'Resume …', icon: Play };
const REVOKE: KeyAction = { about: 'revoke', word: 'Revoke', words: 'Revoke …', icon: Ban, isDanger: true };

/** The actions on a key that change it, and those that stop it, for who may change keys. */
export function actionsOn(key: Key, nowMs: number): { readonly change: KeyAction[]; readonly stop: KeyAction[] } {
  if (!isActive(key, nowMs)) return { change: [RENAME], stop: [] };
  const change = [RENAME, CAP];
  // The grace of a replaced key has its own end.
  if (key.replacedBy === null) change.push(EXPIRY);
  if (key.replacedBy === null && !key.paused) change.push(ROTATE);
  return { change, stop: [key.paused ? RESUME : PAUSE, REVOKE] };
}
