/** How a key of any stage begins, for a regular expression. Each stage may have a prefix of its own. */
export const KEY_BEGINNING = '[a-z]{2,12}_(?:test|live)_';
/** A whole key, wherever it stands. */
export const API_KEY = new RegExp(`${KEY_BEGINNING}[0-9A-Za-z]{42}`);
