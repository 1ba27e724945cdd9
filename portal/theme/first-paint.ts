/** A script of its own that blocks the page. Without it the first paint would have the system's colours. */
import { showTheme, storedTheme } from './theme.ts';

showTheme(storedTheme());
