import { useEffect, useState } from 'react';
import css from './theme-choice.module.css';
import { showTheme, STORED_AS, storedTheme, storeTheme, type Theme } from './theme.ts';

const THEMES: readonly (readonly [theme: Theme, words: string])[] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/** Chooses the colours, for this browser: those of another tab follow. */
export function ThemeChoice() {
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
  return (
    <label className={css.choice}>
      <span className={css.label}>Colours</span>
      <select className={css.select} value={theme} onChange={({ target }) => choose(target.value as Theme)}>
        {THEMES.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
