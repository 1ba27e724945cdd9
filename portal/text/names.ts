/** Longest name, in characters, that the portal takes. */
const MAX_CHARACTERS = 100;
/** The same rule as in the portal's function: not only spaces, format characters and invisible ones. */
const VISIBLE = /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** The error of a name, for its field. Null: none. */
export function nameProblem(name: string): string | null {
  const { length } = Array.from(name.trim());
  if (!VISIBLE.test(name)) return 'Enter a name.';
  if (length > MAX_CHARACTERS) return `A name has at most ${MAX_CHARACTERS} characters; this one has ${length}.`;
  return /\p{Cc}/u.test(name.trim()) ? 'A name has no control characters.' : null;
}

const ORDER = new Intl.Collator(undefined, { numeric: true });
/** The order of names in a list, in the reader's language. */
export const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  ORDER.compare(one.name, other.name);

/** The displayed name of the signed-in person. */
export const ownName = ({
  email,
  name,
  userId,
}: Readonly<Record<'email' | 'name', string | null>> & { readonly userId: string }): string => email ?? name ?? userId;

/** What sent a request, as it calls itself; every browser calls itself `Mozilla/5.0`. */
export const programOf = (userAgent: string | null): string =>
  userAgent === null ? 'unknown program' : userAgent.startsWith('Mozilla/') ? 'a browser' : userAgent;

/** Embeddings, overrides and isolates, and what ends them (Unicode, annex 9). */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text that people wrote, for places without elements, such as the options of a choice. It does not change the
 * direction of the text around it.
 */
export const isolated = (text: string): string => `\u2068${text.replace(TURNING, '')}\u2069`;
