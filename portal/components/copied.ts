/** Copies a text, tells whether that worked, and returns it: a clipboard may refuse. */
export async function copied(
  text: string,
  what: string,
  tell: (sentence: string, isFailure?: boolean) => void,
): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    tell(`Copied ${what}.`);
    return true;
  } catch {
    tell(`Your browser did not let the page copy ${what}.`, true);
    return false;
  }
}
