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

/** What to call who is signed in. */
export const ownName = ({
  email,
  name,
  userId,
}: Readonly<Record<'email' | 'name', string | null>> & { readonly userId: string }): string => email ?? name ?? userId;

/** Embeddings, overrides and isolates, and what ends them (Unicode, annex 9). */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * What people have written, for where there are no elements, such as the choices of a list: it turns nothing that stands
 * beside it.
 */
export const isolated = (text: string): string => `\u2068${text.replace(TURNING, '')}\u2069`;
