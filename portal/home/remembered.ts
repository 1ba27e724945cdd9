/** What this browser remembers of the first steps in an account: only which buttons were pressed here. */
interface Remembered {
  readonly isHidden: boolean;
  /** Whether the samples of the documentation were opened. */
  readonly hasSamples: boolean;
}

const NOTHING: Remembered = { isHidden: false, hasSamples: false };

const nameOf = (accountId: string): string => `first-steps ${accountId}`;

/** The stored value. A browser without storage remembers nothing. */
export function remembered(accountId: string): Remembered {
  try {
    const kept = localStorage.getItem(nameOf(accountId)) ?? '';
    return { isHidden: kept.includes('hidden'), hasSamples: kept.includes('samples') };
  } catch {
    return NOTHING;
  }
}

/** Remembers that the steps were hidden. */
export const noteHidden = (accountId: string): void => keep(accountId, 'hidden');

/** Remembers that the samples were opened. */
export const noteSamples = (accountId: string): void => keep(accountId, 'samples');

function keep(accountId: string, what: 'hidden' | 'samples'): void {
  try {
    const kept = localStorage.getItem(nameOf(accountId));
    localStorage.setItem(nameOf(accountId), kept === null ? what : `${kept} ${what}`);
  } catch {
    // Without storage it is remembered for this page only.
  }
}
