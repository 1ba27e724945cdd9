import { createHash } from 'node:crypto';

/** The address of the first person of a local portal. The form proposes it. */
export const DEMO_EMAIL = 'demo@example.com';
/** The provider's name in identities. It does not contain the port, so that a restart changes nobody's identity. */
export const LOCAL_ISSUER = 'local';

/** What the provider says about a person. */
export interface LocalPerson {
  /** Derived from the address, so that the same address is the same person. */
  readonly subject: string;
  readonly email: string;
  readonly name: string;
}

/** Longest address (RFC 5321, section 4.5.3.1). */
const MAX_EMAIL_CHARACTERS = 254;

/** The person with an address; undefined if it is no address. */
export function personOf(text: string): LocalPerson | undefined {
  const email = text.trim();
  if (email.length > MAX_EMAIL_CHARACTERS || !/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email)) return undefined;
  return personWith(email);
}

const personWith = (email: string): LocalPerson => ({
  subject: createHash('sha256').update(email.toLowerCase()).digest('base64url'),
  email,
  name: email.slice(0, email.lastIndexOf('@')),
});

/** The person of {@link DEMO_EMAIL}. */
export const DEMO_PERSON = personWith(DEMO_EMAIL);
