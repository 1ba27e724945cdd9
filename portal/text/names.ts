/** Longest name, in characters, that the portal takes. */
const MAX_CHARACTERS = 100;
/** As the portal's function has it: not only spaces, formats and what is drawn as nothing. */
const VISIBLE = /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** What is wrong with a name, for its field; null: nothing. */
export function nameProblem(name: string): string | null {
  const { length } = Array.from(name.trim());
  if (!VISIBLE.test(name)) return 'Enter a name.';
  if (length > MAX_CHARACTERS) return `A name has at most ${MAX_CHARACTERS} characters; this one has ${length}.`;
  return /\p{Cc}/u.test(name.trim()) ? 'A name has no control characters.' : null;
}
