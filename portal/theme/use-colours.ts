import { useEffect, useState } from 'react';
import { Monitor, Moon, Sun } from 'lucide-react';
import type { MenuGroup } from '../components/menu-list.tsx';
import { showTheme, STORED_AS, storedTheme, storeTheme, type Theme } from './theme.ts';

const THEMES = [
  ['system', 'System', Monitor],
  ['light', 'Light', Sun],
  ['dark', 'Dark', Moon],
] as const;

/** The choice of colours in this browser. Other tabs follow it. */
export function useColours(): MenuGroup {
  const [theme, setTheme] = useState(storedTheme);
  useEffect(() => {
    const follow = ({ key }: StorageEvent): void => {
      if (key === null || key === STORED_AS) setTheme(storedTheme());
    };
    addEventListener('storage', follow);
    return () => removeEventListener('storage', follow);
  }, []);
  useEffect(() => showTheme(theme), [theme]);
  const choose = (chosen: Theme): void => {
    storeTheme(chosen);
    setTheme(chosen);
  };
  return {
    title: 'Colours',
    chosen: theme,
    entries: THEMES.map(([id, words, icon]) => ({ id, words, icon, onAction: () => choose(id) })),
  };
}
