/** The longest address that is kept (RFC 5321, section 4.5.3.1). */
export const MAX_ADDRESS_CHARACTERS = 254;

/** An address in the form for comparisons: only A to Z are folded to a to z. */
export const foldedAddress = (email: string): string => email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Characters that a page does not show, or that trimming removes, and half surrogate pairs. */
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Whether an address is what it looks like: no Unicode normalisation changes it, and it has no invisible character.
 * Only such an address belongs to one person. If addresses were normalised before they are compared, the Kelvin sign
 * would be a K, and its holder could answer the invitation of another person.
 */
export const isPlainAddress = (email: string): boolean => email.normalize('NFKC') === email && !UNSEEN.test(email);

/**
 * Whether mail can go to an address in the internet: no encoded word, no empty part, and a domain with a dot. Mail
 * programs and SES read the others as they like, and an address of this machine belongs to nobody.
 */
export const isDeliverable = (email: string): boolean => {
  const at = email.lastIndexOf('@');
  const [local, domain] = [email.slice(0, at), email.slice(at + 1)];
  const isWhole = (text: string): boolean => text.split('.').every((part) => part !== '');
  return isWhole(local) && !local.includes('=?') && domain.includes('.') && isWhole(domain);
};

/** The message for people who invite another kind of address. */
export const ADDRESS_RULE = 'Give an e-mail address of ASCII characters, with nothing before or behind it.';
