/** The colours that a reader chose; `system`: those of the machine. */
export type Theme = 'system' | 'light' | 'dark';

/** The portal keeps nothing else in the browser's storage but what was pressed of the first steps (`portal/home/remembered.ts`). */
export const STORED_AS = 'theme';

/** The choice that is kept in this browser. A browser that keeps nothing has none. */
export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(STORED_AS);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    return 'system';
  }
}

/** Keeps a choice for the next visit, where the browser keeps anything. */
export function storeTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(STORED_AS);
    else localStorage.setItem(STORED_AS, theme);
  } catch {
    // It holds for this visit.
  }
}

/** Shows the page in these colours: every colour is a `light-dark()` of the page of tokens. */
export function showTheme(theme: Theme): void {
  // By the object model, which a policy without 'unsafe-inline' allows; '' leaves it to the style sheet, both schemes.
  document.documentElement.style.colorScheme = theme === 'system' ? '' : theme;
}
