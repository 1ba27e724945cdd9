/** The chosen colours. `system`: those of the system. */
export type Theme = 'system' | 'light' | 'dark';

/**
 * The portal stores nothing else in the browser, except which buttons of the first steps were pressed
 * (`portal/home/remembered.ts`).
 */
export const STORED_AS = 'theme';

/** The choice that this browser stores. A browser without storage has none. */
export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(STORED_AS);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    return 'system';
  }
}

/** Stores a choice for the next visit, if the browser has storage. */
export function storeTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(STORED_AS);
    else localStorage.setItem(STORED_AS, theme);
  } catch {
    // It applies to this visit only.
  }
}

/** Chooses colours from elsewhere than the menu, which follows as it follows another tab. */
export function chooseTheme(theme: Theme): void {
  storeTheme(theme);
  showTheme(theme);
  dispatchEvent(new StorageEvent('storage', { key: STORED_AS }));
}

/** Applies the colours to the page: every colour is a `light-dark()` in the style sheet of tokens. */
export function showTheme(theme: Theme): void {
  // By the object model, which a policy without 'unsafe-inline' allows. '' leaves both schemes to the style sheet.
  document.documentElement.style.colorScheme = theme === 'system' ? '' : theme;
}
