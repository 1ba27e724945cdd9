/** A script of its own, which the page waits for: without it the first paint would be in the machine's colours. */
import { showTheme, storedTheme } from './theme.ts';

showTheme(storedTheme());
